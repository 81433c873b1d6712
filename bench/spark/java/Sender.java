import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.util.ThreadUtils;
import scala.PartialFunction;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;
import scala.util.Try;

/** The endpoint of the sending side. It keeps as many messages under way as it may, from its receive or from callbacks. */
final class Sender extends Handler {
  static final String NAME = "source";

  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.apply(Object.class);

  final CompletableFuture<Void> over = new CompletableFuture<>();
  private final RpcEndpointRef to;
  private final Spec spec;
  private final Batch batch;
  private final RpcTimeout timeout;
  // As Spark's own endpoints take answers: on the thread that brings them.
  private final ExecutionContext here = ThreadUtils.sameThread();
  private final PartialFunction<Object, BoxedUnit> receive = each(this::acknowledged);

  Sender(RpcEnv env, SparkConf conf, RpcEndpointRef to, Spec spec, Batch batch) {
    super(env);
    this.to = to;
    this.spec = spec;
    this.batch = batch;
    timeout = RpcTimeout.apply(conf, "spark.rpc.askTimeout", "120s");
  }

  @Override
  public void onStart() {
    if (spec.ask()) {
      ask();
      return;
    }
    Future<Object> introduced = to.ask(new Introduction(self()), timeout, ANY);
    introduced.onComplete(result -> after(result, answer -> tell()), here);
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receive() {
    return receive; // Spark calls this for each message
  }

  private void acknowledged(Object message) {
    synchronized (batch) {
      end(() -> batch.acknowledged(((Message) message).number()));
      tell();
    }
  }

  private void tell() {
    synchronized (batch) {
      for (Message m = batch.tell(); m != null && !over.isDone(); m = batch.tell()) {
        to.send(m);
      }
    }
  }

  private void ask() {
    synchronized (batch) {
      for (Message m = batch.ask(); m != null && !over.isDone(); m = batch.ask()) {
        long at = System.nanoTime();
        Future<Object> answer = to.ask(m, timeout, ANY);
        answer.onComplete(result -> after(result, back -> answered(at, back)), here);
      }
    }
  }

  private void answered(long at, Object answer) {
    synchronized (batch) {
      end(() -> batch.answered(at, answer));
      ask();
    }
  }

  /** Hands a future's answer to body; a failure ends the trial. */
  private BoxedUnit after(Try<Object> result, java.util.function.Consumer<Object> body) {
    if (result.isFailure()) {
      over.completeExceptionally(result.failed().get());
    } else if (!over.isDone()) {
      body.accept(result.get());
    }
    return BoxedUnit.UNIT;
  }

  private interface Step {
    boolean over() throws Refused;
  }

  private void end(Step step) {
    try {
      if (step.over()) {
        over.complete(null);
      }
    } catch (Refused e) {
      over.completeExceptionally(e);
    }
  }
}
