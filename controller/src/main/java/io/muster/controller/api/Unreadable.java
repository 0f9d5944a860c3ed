package io.muster.controller.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.kube.Sentences;
import java.io.IOException;
import java.util.function.BiFunction;

/**
 * A part of an object that has another form than the API gives it. The API server lets it in, since
 * pods are stored as written; a list or watch that failed over it would stop everybody's jobs. It
 * is read as an empty one, and written back as it came. Confined to one thread.
 */
public sealed interface Unreadable permits UnreadableTemplate, UnreadableVolume {

  /** Path from the part to the first field of another form; empty if it is the part itself. */
  String field();

  /** Reads one, or keeps it as it came with the field that is of another form. */
  static <T> T read(
      JsonParser json,
      DeserializationContext context,
      Class<T> type,
      BiFunction<String, JsonNode, T> kept)
      throws IOException {
    JsonNode stored = context.readTree(json);
    try {
      return context.readTreeAsValue(stored, type);
    } catch (JsonMappingException e) {
      return kept.apply(Sentences.pathOf(e), stored);
    }
  }
}
