package io.muster.extender.kube;

import com.fasterxml.jackson.databind.JsonMappingException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Text as objects may carry it. Stateless; safe for concurrent use. */
public final class Sentences {

  private static final int LONGEST = 1_024;
  private static final int LONGEST_LOGGED = 64;

  private Sentences() {}

  /** At most 1,024 characters, never half a character. */
  public static String cut(String sentence) {
    return cut(sentence, LONGEST);
  }

  /** What others wrote, as it may stand in a log: at most 64 characters of it. */
  public static String logged(String text) {
    return cut(text, LONGEST_LOGGED);
  }

  private static String cut(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    return text.substring(
        0, Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest);
  }

  /** Where in a document something has another form: {@code spec.containers[0].ports}. */
  public static String pathOf(JsonMappingException mismatch) {
    var path = new StringBuilder();
    for (var step : mismatch.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return path.toString();
  }

  /** RFC 3339 with whole seconds, as metav1.Time is written. */
  public static String second(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
