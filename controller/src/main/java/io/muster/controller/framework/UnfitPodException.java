package io.muster.controller.framework;

/** No pod can be made of what the job says; the message says why, for users. */
public final class UnfitPodException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public UnfitPodException(String message) {
    super(message);
  }

  UnfitPodException(String message, Throwable cause) {
    super(message, cause);
  }
}
