package io.muster.simulator;

/** Options that do not go together, or cannot be read; the message names the option and the fix. */
final class WrongUseException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  WrongUseException(String message) {
    super(message);
  }
}
