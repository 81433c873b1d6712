import java.io.Serializable;
import java.nio.ByteBuffer;

/**
 * A message of the bench as Spark's RPC carries it: one array of as many bytes as protobuf's encoding has at the other
 * contenders, by Java's serialization. The first nine bytes are a number, the time of a sampled tell or the count of an
 * acknowledgement, and what the message is. Once made it never changes, so one object is sent again and again.
 */
final class Message implements Serializable {
  private static final long serialVersionUID = 1;

  static final byte PLAIN = 0;
  static final byte LAST = 1; // of a batch

  private static final int KIND_AT = Long.BYTES;
  static final int LEAST = KIND_AT + 1; // bytes

  private final byte[] content;

  Message(int size, byte kind, long number) {
    content = new byte[size];
    ByteBuffer.wrap(content).putLong(number).put(kind);
  }

  static Message acknowledgement(long count) {
    return new Message(LEAST, PLAIN, count);
  }

  int size() {
    return content.length;
  }

  long number() {
    return ByteBuffer.wrap(content).getLong();
  }

  boolean last() {
    return content[KIND_AT] == LAST;
  }
}
