package io.muster.extender.http.limits;

/** A request that is not served: its body is too long or too slow, or others take all there is. */
public final class NotServedException extends Exception {

  private static final int MIB = 1024 * 1024;
  private static final int BROKEN_OFF = 400;
  private static final int TOO_SLOW = 408;
  private static final int TOO_LONG = 413;
  private static final int BUSY = 503;

  private final int status;

  private NotServedException(int status, String sentence) {
    super(sentence);
    this.status = status;
  }

  static NotServedException tooLong(int bytes) {
    var most = bytes % MIB == 0 ? bytes / MIB + " MiB" : bytes + " bytes";
    return new NotServedException(TOO_LONG, "the body is longer than " + most);
  }

  static NotServedException tooSlow() {
    return new NotServedException(TOO_SLOW, "the body did not arrive in time");
  }

  static NotServedException brokenOff() {
    return new NotServedException(BROKEN_OFF, "the body broke off");
  }

  static NotServedException busy() {
    return new NotServedException(BUSY, "too much is under way; try again");
  }

  /** The HTTP status to answer with. */
  public int status() {
    return status;
  }
}
