import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * Spark's own RpcEnv as a contender of the bench. It obeys the control lines that Go's package bench describes. Settings are
 * Spark's defaults, which are what its daemons run with; the JVM has as many processors as the other contenders.
 */
public final class Main {
  static final List<String> CASES = List.of("local-tell", "local-ask", "remote-tell", "remote-ask", "one-way");
  static final ObjectMapper JSON = new ObjectMapper();

  private static final String NAME = "spark";
  private static final String LOOPBACK = "127.0.0.1";
  private static final long STALL_SECONDS = 10; // package measure's Stall

  private final String[] args; // of WarmUp
  private final SparkConf conf = new SparkConf(false);
  private RpcEnv serving;
  private Sink sink;

  private Main(String[] args) {
    this.args = args;
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // the control lines are alone on stdout, whatever a library prints
    out.println(hello());
    SynchronousQueue<String> lines = new SynchronousQueue<>();
    Thread worker = new Thread(() -> work(args, lines, out), "commands");
    worker.setDaemon(true);
    worker.start();
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.put(line);
      }
    }
    // The end of stdin ends the process, also in the midst of a trial: shutdown hooks of libraries may wait for that.
    Runtime.getRuntime().halt(0);
  }

  private static void work(String[] args, SynchronousQueue<String> lines, PrintStream out) {
    Main main = new Main(args);
    try {
      while (true) {
        out.println(main.answer(lines.take()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ObjectNode hello() throws ReflectiveOperationException {
    // By reflection: "package", the class that names the version, is no name in Java.
    Object version = Class.forName("org.apache.spark.package").getMethod("SPARK_VERSION").invoke(null);
    String java = "Java " + System.getProperty("java.version");
    ObjectNode line = JSON.createObjectNode();
    ObjectNode hello = line.putObject("hello");
    ObjectNode contender = hello.putArray("contenders").addObject();
    contender.put("name", NAME).put("version", version + ", " + java).put("no_allocs", true);
    CASES.forEach(contender.putArray("cases")::add);
    hello.put("go", java).put("gomaxprocs", Runtime.getRuntime().availableProcessors());
    return line;
  }

  private ObjectNode answer(String line) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      JsonNode command = JSON.readTree(line);
      if (command.hasNonNull("serve")) {
        answer.putObject("serving").put("address", serve(new Spec(command.get("serve"), args)));
      } else if (command.hasNonNull("run")) {
        run(command.get("run"), answer.putObject("result"));
      } else if (command.path("report").asBoolean() && sink != null) {
        answer.set("report", sink.measured());
      } else {
        throw new Refused("nothing is served here, or the command is none of serve, run and report");
      }
    } catch (Refused | IOException e) {
      return JSON.createObjectNode().put("error", e.getMessage());
    } catch (RuntimeException e) { // of Spark: the text names the class
      return JSON.createObjectNode().put("error", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return JSON.createObjectNode().put("error", "interrupted");
    }
    return answer;
  }

  /** An RpcEnv; in client mode it does not listen, as an executor's. */
  private RpcEnv newEnv(boolean client) {
    SecurityManager security = new SecurityManager(conf, Option.empty(), SecurityManager.$lessinit$greater$default$3());
    return RpcEnv.create("bench", LOOPBACK, LOOPBACK, 0, conf, security, Runtime.getRuntime().availableProcessors(), client);
  }

  private static void end(RpcEnv env) {
    env.shutdown();
    env.awaitTermination();
  }

  private String serve(Spec spec) {
    if (serving != null) {
      end(serving);
    }
    sink = new Sink(spec);
    serving = newEnv(false);
    serving.setupEndpoint(Receiver.NAME, new Receiver(serving, sink));
    return serving.address().hostPort();
  }

  private void run(JsonNode command, ObjectNode result) throws Refused, InterruptedException {
    Spec spec = new Spec(command.path("spec"), args);
    String address = command.path("address").asText();
    if (spec.remote() == address.isEmpty()) {
      throw new Refused(spec.name + " with the address \"" + address + "\": remote cases have one, local ones have none");
    }
    RpcEnv env = newEnv(true);
    try {
      Sink local = spec.remote() ? null : new Sink(spec);
      RpcEndpointRef to;
      if (spec.remote()) {
        int colon = address.lastIndexOf(':');
        RpcAddress peer = RpcAddress.apply(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        to = env.setupEndpointRef(peer, Receiver.NAME);
      } else {
        to = env.setupEndpoint(Receiver.NAME, new Receiver(env, local));
      }
      Batch batch = new Batch(spec);
      Sender sender = new Sender(env, conf, to, spec, batch);
      env.setupEndpoint(Sender.NAME, sender);
      await(sender, batch, spec);
      batch.write(result.putObject("sent"));
      if (local != null) {
        result.set("received", local.measured());
      }
    } finally {
      end(env);
    }
  }

  private static void await(Sender sender, Batch batch, Spec spec) throws Refused, InterruptedException {
    try {
      sender.over.get(spec.warmUp.most + spec.duration + TimeUnit.SECONDS.toNanos(STALL_SECONDS), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new Refused("it did not end within " + STALL_SECONDS + "s after its time: " + batch.progress());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Refused refused ? refused : new Refused(e.getCause().toString());
    }
  }
}
