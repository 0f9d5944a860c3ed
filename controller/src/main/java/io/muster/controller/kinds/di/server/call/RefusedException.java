package io.muster.controller.kinds.di.server.call;

import io.muster.extender.http.limits.NotServedException;

/** A call that is not followed; the message is one sentence for its caller. */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private static final int TOO_LARGE = 413;

  private final int status;

  private RefusedException(int status, String sentence) {
    super(sentence);
    this.status = status;
  }

  /** What was sent cannot be followed, now or ever. */
  public static RefusedException malformed(String sentence) {
    return new RefusedException(400, sentence);
  }

  /** Not this caller. */
  public static RefusedException forbidden(String sentence) {
    return new RefusedException(403, sentence);
  }

  public static RefusedException notFound(String sentence) {
    return new RefusedException(404, sentence);
  }

  public static RefusedException tooLarge(String sentence) {
    return new RefusedException(TOO_LARGE, sentence);
  }

  /** Its body did not come within the limits; only one that is too long is refused for good. */
  public static RefusedException notServed(NotServedException reason) {
    return reason.status() == TOO_LARGE
        ? tooLarge(reason.getMessage())
        : later(reason.getMessage());
  }

  public static RefusedException notImplemented(String sentence) {
    return new RefusedException(501, sentence);
  }

  /**
   * It may be asked again. DI-engine does so on an answer without success, and gives up for good on
   * any other HTTP status.
   */
  public static RefusedException later(String sentence) {
    return new RefusedException(200, sentence);
  }

  int status() {
    return status;
  }
}
