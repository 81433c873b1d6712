/** Why a command fails: its text is the answer. */
final class Refused extends Exception {
  private static final long serialVersionUID = 1;

  Refused(String why) {
    super(why);
  }
}
