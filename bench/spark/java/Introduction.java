import java.io.Serializable;
import org.apache.spark.rpc.RpcEndpointRef;

/** What a sender asks before a trial of tells: it tells the receiver where acknowledgements go. */
final class Introduction implements Serializable {
  private static final long serialVersionUID = 1;

  final RpcEndpointRef source;

  Introduction(RpcEndpointRef source) {
    this.source = source;
  }
}
