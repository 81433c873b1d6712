import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;

/** The clocks. */
final class Clock {
  private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final long SECOND = 1_000_000_000L;

  private Clock() {}

  /** The wall clock in nanoseconds since 1970: both processes of a machine read the same. */
  static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * SECOND + now.getNano();
  }

  /** What the process has run so far, in nanoseconds, with its compiler and its garbage collector. */
  static long cpu() {
    return SYSTEM.getProcessCpuTime();
  }
}
