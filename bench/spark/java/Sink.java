import com.fasterxml.jackson.databind.node.ObjectNode;

/** The receiving side of a trial, with the rules of package measure's Sink. An endpoint calls take, one call at a time. */
final class Sink {
  private final Spec spec;
  private long messages;
  private long began;
  private long cpu = Clock.cpu();
  private Histogram latency = new Histogram();
  private String fault = "";

  private int ended; // batches
  private ObjectNode result; // of the measured batch

  Sink(Spec spec) {
    this.spec = spec;
  }

  /** Counts m and returns what to send back: the answer of an ask, else an acknowledgement or null. */
  Message take(Message m) {
    if (messages == 0) {
      began = System.nanoTime();
    }
    if (m.size() != spec.size) {
      fault("message " + messages + " has " + m.size() + " bytes");
    } else if (!spec.ask()) {
      sample(m);
    }
    long count = ++messages;
    int window = spec.window(ended > 0);
    // Before the answer is returned: when the sender has it, the batch is closed.
    if (m.last()) {
      end();
    }
    if (spec.ask()) {
      return m;
    }
    if (m.last() || window > 0 && count % Math.max(window / 2, 1) == 0) {
      return Message.acknowledgement(count);
    }
    return null;
  }

  /** A message without a time in its place, or with one in another, came out of order. */
  private void sample(Message m) {
    boolean want = messages % Spec.SAMPLE_EVERY == 0;
    if (want != (m.number() != 0)) {
      fault("message " + messages + " is another one: messages were lost, repeated or reordered");
    } else if (want) {
      long age = Clock.now() - m.number();
      if (age < 0) {
        fault("message " + messages + " came " + -age + " ns before it was sent: the clock was set");
      }
      latency.record(age);
    }
  }

  private void fault(String what) {
    if (fault.isEmpty()) {
      fault = what;
    }
  }

  private synchronized void end() {
    long now = Clock.cpu();
    if (++ended == 2) {
      result = Main.JSON.createObjectNode();
      result.put("messages", messages).put("bytes", messages * spec.size).put("elapsed_ns", System.nanoTime() - began);
      result.putObject("used").put("cpu_ns", now - cpu);
      latency.write(result.putArray("latency"));
      result.put("fault", fault);
    }
    cpu = now;
    messages = 0;
    latency = new Histogram();
  }

  /** What was counted in the measured batch. */
  synchronized ObjectNode measured() throws Refused {
    if (ended != 2) {
      throw new Refused(ended + " batches have ended, want 2");
    }
    return result;
  }
}
