package io.muster.controller.di;

/** No pod can be made of what the job says; the message says why, for users. */
class UnfitPodException extends RuntimeException {

  private static final long serialVersionUID = 1;

  UnfitPodException(String message) {
    super(message);
  }
}
