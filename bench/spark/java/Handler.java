import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/** An endpoint that handles one message at a time, as nearly all of Spark's do. */
abstract class Handler implements ThreadSafeRpcEndpoint {
  private final RpcEnv env;

  Handler(RpcEnv env) {
    this.env = env;
  }

  @Override
  public final RpcEnv rpcEnv() {
    return env;
  }

  /** A partial function that is defined for everything. */
  static PartialFunction<Object, BoxedUnit> each(java.util.function.Consumer<Object> body) {
    return new AbstractPartialFunction<>() {
      @Override
      public boolean isDefinedAt(Object message) {
        return true;
      }

      @Override
      public <A1 extends Object, B1> B1 applyOrElse(A1 message, Function1<A1, B1> otherwise) {
        body.accept(message);
        @SuppressWarnings("unchecked") // B1 is a supertype of BoxedUnit
        B1 unit = (B1) BoxedUnit.UNIT;
        return unit;
      }
    };
  }
}
