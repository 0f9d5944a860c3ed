package io.muster.controller.framework;

/**
 * What was decided for a job cannot go on: why is remembered, or kept, and it is to be decided
 * anew.
 */
final class HeldBackException extends RuntimeException {

  private static final long serialVersionUID = 1;

  HeldBackException(RuntimeException cause) {
    super(cause);
  }

  HeldBackException(String message) {
    super(message);
  }
}
