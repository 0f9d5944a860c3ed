package io.muster.demo;

/** Something was not as the demo says; the message is what it prints. */
public final class UnmetException extends RuntimeException {

  UnmetException(String expected, String seen) {
    super("expected %s, saw %s".formatted(expected, seen));
  }
}
