/**
 * How long the batch that is not measured takes: until the JIT compiler has compiled what each message needs, since Spark's
 * processes live long. Package measure's fifth of a trial is too short for that.
 */
final class WarmUp {
  /**
   * The window of a flood's warm-up. Spark's senders do not wait for their receivers: without a window all the messages of
   * a warm-up would wait at the receiver when the trial begins.
   */
  static final int WINDOW = 1024;

  private final long least; // ns
  private final long messages;
  final long most; // ns, on a machine that is too slow for as many messages

  /** What the program's arguments say, and not less than the trial wants. */
  WarmUp(String[] args, long wanted) {
    least = Math.max(Long.parseLong(args[0]), wanted);
    messages = Long.parseLong(args[1]);
    most = Math.max(Long.parseLong(args[2]), least);
  }

  boolean over(long elapsed, long sent) {
    return elapsed >= least && (sent >= messages || elapsed >= most);
  }
}
