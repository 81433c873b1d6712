import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The sending side of a trial: two batches, one that warms up and one that is measured. Its rules are those of package
 * measure's Tell and Ask. A monitor: its methods are called one at a time, under its lock.
 */
final class Batch {
  /** After how many messages of a flood the clock is read. */
  private static final int LOOK_EVERY = 16;

  private final Spec spec;
  private final Message plain;
  private final Message last;

  private boolean measured; // this batch, the second one
  private boolean ending; // its time is over
  private boolean lastSent;
  private long sent;
  private long done; // acknowledged or answered
  private long began;
  private long elapsed;
  private long cpu;
  private Histogram latency = new Histogram();
  private long messages;

  Batch(Spec spec) {
    this.spec = spec;
    plain = new Message(spec.size, Message.PLAIN, 0);
    last = new Message(spec.size, Message.LAST, 0);
  }

  /** The next tell, null when an acknowledgement has to come first or the batch's last one is out. */
  Message tell() {
    int window = spec.window(measured);
    if (lastSent || window > 0 && sent - done >= window) {
      return null;
    }
    begin();
    if (window == 0 && sent % LOOK_EVERY == 0) {
      look(System.nanoTime());
    }
    lastSent = ending;
    boolean sampled = sent++ % Spec.SAMPLE_EVERY == 0;
    if (sampled) {
      return new Message(spec.size, lastSent ? Message.LAST : Message.PLAIN, Clock.now());
    }
    return lastSent ? last : plain;
  }

  /** Takes an acknowledgement of a batch's messages so far; true when the trial is over. */
  boolean acknowledged(long count) throws Refused {
    if (count <= done || count > sent) {
      throw new Refused(count + " messages are acknowledged after " + done + ", of " + sent + " that were sent");
    }
    done = count;
    long now = System.nanoTime();
    look(now);
    return end(now);
  }

  /** The next question, null when an answer has to come first. The last question is asked alone. */
  Message ask() {
    long open = sent - done;
    if (lastSent || open >= spec.inFlight || ending && open > 0) {
      return null;
    }
    begin();
    lastSent = ending;
    sent++;
    return lastSent ? last : plain;
  }

  /** Takes the answer to a question that was asked at a time; true when the trial is over. */
  boolean answered(long at, Object answer) throws Refused {
    long now = System.nanoTime();
    done++;
    if (!(answer instanceof Message m) || m.size() != spec.size || m.last() != lastSent) {
      throw new Refused("answer " + done + " of the batch belongs to another question");
    }
    latency.record(now - at);
    look(now);
    return end(now);
  }

  private void begin() {
    if (sent == 0) {
      cpu = Clock.cpu();
      began = System.nanoTime();
    }
  }

  private void look(long now) {
    long time = now - began;
    ending |= measured ? time >= spec.duration : spec.warmUp.over(time, sent);
  }

  private boolean end(long now) {
    if (!lastSent || done < sent) {
      return false;
    }
    messages = sent;
    elapsed = now - began;
    cpu = Clock.cpu() - cpu;
    if (measured) {
      return true;
    }
    measured = true;
    sent = 0;
    done = 0;
    ending = false;
    lastSent = false;
    latency = new Histogram();
    return false;
  }

  /** How far it has come, for the error of a trial that stands still. */
  String progress() {
    return "at its last sign of life " + sent + " messages were sent and " + done + " of them came back or were acknowledged";
  }

  void write(ObjectNode to) {
    to.put("messages", messages).put("elapsed_ns", elapsed);
    to.putObject("used").put("cpu_ns", cpu);
    latency.write(to.putArray("latency"));
  }
}
