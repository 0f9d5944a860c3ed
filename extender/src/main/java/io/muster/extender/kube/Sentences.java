package io.muster.extender.kube;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Text as objects may carry it. Stateless; safe for concurrent use. */
public final class Sentences {

  private static final int LONGEST = 1_024;

  private Sentences() {}

  /** At most 1,024 characters, never half a character. */
  public static String cut(String sentence) {
    if (sentence.length() <= LONGEST) {
      return sentence;
    }
    var end = Character.isHighSurrogate(sentence.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return sentence.substring(0, end);
  }

  /** RFC 3339 with whole seconds, as metav1.Time is written. */
  public static String second(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
