import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.PartialFunction;
import scala.runtime.BoxedUnit;

/** The endpoint of the receiving side. */
final class Receiver extends Handler {
  static final String NAME = "sink";

  private final Sink sink;
  private RpcEndpointRef source; // where acknowledgements go
  private final PartialFunction<Object, BoxedUnit> receive = each(this::tell);

  Receiver(RpcEnv env, Sink sink) {
    super(env);
    this.sink = sink;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receive() {
    return receive; // Spark calls this for each message
  }

  private void tell(Object message) {
    Message back = sink.take((Message) message);
    if (back != null) {
      source.send(back);
    }
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
    return each(
        message -> {
          if (message instanceof Introduction i) {
            source = i.source;
            context.reply(true);
          } else {
            context.reply(sink.take((Message) message));
          }
        });
  }
}
