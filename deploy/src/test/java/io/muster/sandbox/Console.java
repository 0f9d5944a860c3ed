package io.muster.sandbox;

/** Where the sandbox speaks to a person: standard error, so that output can be piped. */
final class Console {

  private Console() {}

  static void say(String line) {
    System.err.println("sandbox: " + line);
  }
}
