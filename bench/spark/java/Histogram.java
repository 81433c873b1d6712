import com.fasterxml.jackson.databind.node.ArrayNode;

/**
 * Durations in nanoseconds, right to 0.1 %: 1,024 buckets for each power of two. Spark brings no HdrHistogram; the bench
 * takes pairs of duration and count instead.
 */
final class Histogram {
  private static final int SUB_BITS = 10;
  private static final int SUB = 1 << SUB_BITS;
  private static final int HIGHEST_BIT = 42; // 2^43 ns are more than two hours
  private static final int BUCKETS = (HIGHEST_BIT - SUB_BITS + 2) * SUB;

  private final long[] counts = new long[BUCKETS];

  void record(long ns) {
    counts[bucket(ns)]++;
  }

  private static int bucket(long ns) {
    if (ns < SUB) {
      return (int) Math.max(ns, 0);
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(ns) - SUB_BITS;
    return (int) Math.min(((long) shift << SUB_BITS) + (ns >> shift), BUCKETS - 1);
  }

  /** The longest duration in a bucket. */
  private static long top(int bucket) {
    int shift = Math.max((bucket >> SUB_BITS) - 1, 0);
    return (((long) bucket - ((long) shift << SUB_BITS) + 1) << shift) - 1;
  }

  void write(ArrayNode to) {
    for (int i = 0; i < BUCKETS; i++) {
      if (counts[i] > 0) {
        to.addArray().add(top(i)).add(counts[i]);
      }
    }
  }
}
