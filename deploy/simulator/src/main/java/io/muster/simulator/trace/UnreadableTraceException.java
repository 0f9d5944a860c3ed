package io.muster.simulator.trace;

/**
 * A trace cannot be read; the message names file, line and column, and says what would be right.
 */
public final class UnreadableTraceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableTraceException(String message) {
    super(message);
  }
}
