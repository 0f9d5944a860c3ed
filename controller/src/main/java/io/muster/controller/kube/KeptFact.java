package io.muster.controller.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/** A fact about a job that is kept on it as JSON, where anybody may have written something else. */
public final class KeptFact {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  private KeptFact() {}

  /** The fact; empty if the text is nothing of the kind. */
  public static <T> Optional<T> read(String text, Class<T> type) {
    try {
      return Optional.ofNullable(JSON.readValue(text, type));
    } catch (JsonProcessingException _) {
      return Optional.empty();
    }
  }

  /** As it is kept. */
  public static String written(Object fact) {
    try {
      return JSON.writeValueAsString(fact);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A moment that a fact names; empty where somebody has written none, or one in a year that RFC
   * 3339 does not know and with which nobody could reckon.
   */
  public static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text))
          .filter(at -> !at.isBefore(FIRST) && !at.isAfter(LAST));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }
}
