package io.muster.deploy.console;

import java.util.regex.Pattern;

/**
 * Lines as a terminal may have them: users name gangs and queues as they like, and a terminal obeys
 * some of what can be in a name. Stateless.
 */
final class Legible {

  private static final Pattern OBEYED = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  private Legible() {}

  /** The same on one line, without control characters and marks that turn text around. */
  static String line(String text) {
    return OBEYED.matcher(text).replaceAll("?");
  }
}
