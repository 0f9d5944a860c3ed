package io.muster.controller.di;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.Optional;

/** A fact about a job that is kept on it as JSON, where anybody may have written something else. */
final class KeptFact {

  private static final ObjectMapper JSON = new ObjectMapper();

  private KeptFact() {}

  /** The fact; empty if the text is nothing of the kind. */
  static <T> Optional<T> read(String text, Class<T> type) {
    try {
      return Optional.ofNullable(JSON.readValue(text, type));
    } catch (JsonProcessingException _) {
      return Optional.empty();
    }
  }

  static String written(Object fact) {
    try {
      return JSON.writeValueAsString(fact);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
