import com.fasterxml.jackson.databind.JsonNode;

/** One trial, as the control lines say it. */
final class Spec {
  /** Which tells carry the time: package measure's SampleEvery. */
  static final int SAMPLE_EVERY = 31;

  final String name;
  final int size;
  final int inFlight; // 0 when there is no window
  final WarmUp warmUp;
  final long duration; // ns

  Spec(JsonNode json, String[] args) throws Refused {
    name = json.path("case").asText();
    size = json.path("size").asInt();
    inFlight = json.path("in_flight").asInt();
    warmUp = new WarmUp(args, json.path("warm_up_ns").asLong());
    duration = json.path("duration_ns").asLong();
    if (!Main.CASES.contains(name)) {
      throw new Refused("case " + name + ": want one of " + Main.CASES);
    }
    if (size < Message.LEAST) {
      throw new Refused("size " + size + ": want at least " + Message.LEAST);
    }
    if (json.path("pairs").asInt(1) != 1) {
      throw new Refused("pairs " + json.path("pairs") + ": want 1");
    }
    if (json.path("rate").asDouble() != 0) {
      throw new Refused("rate " + json.path("rate") + ": want none");
    }
  }

  /** How many tells may be sent and not acknowledged in a batch; 0 is no bound. */
  int window(boolean measured) {
    return inFlight == 0 && !measured ? WarmUp.WINDOW : inFlight;
  }

  boolean remote() {
    return !name.startsWith("local-");
  }

  boolean ask() {
    return name.endsWith("-ask");
  }
}
