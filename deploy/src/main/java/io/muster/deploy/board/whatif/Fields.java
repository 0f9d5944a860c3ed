package io.muster.deploy.board.whatif;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the fields of a JSON object; what is null or an empty text counts as absent. Immutable. */
final class Fields {

  /** Of any text but a manifest. */
  static final int LONGEST = 253;

  private static final int SHOWN = 60;

  private final JsonNode object;
  private final String path;

  /**
   * @param path of the object, with a dot at its end; empty for the request itself
   */
  Fields(JsonNode object, String path) {
    this.object = object;
    this.path = path;
  }

  /** That there are no others. */
  void allowOnly(Set<String> names) throws InvalidRequestException {
    allowOnly(names, "leave it out");
  }

  void allowOnly(Set<String> names, String remedy) throws InvalidRequestException {
    for (var field : object.properties()) {
      if (!names.contains(field.getKey()) && !isAbsent(field.getValue())) {
        throw invalid(field.getKey(), remedy);
      }
    }
  }

  InvalidRequestException invalid(String name, String message) {
    return new InvalidRequestException(shown(path + name), message);
  }

  private static boolean isAbsent(JsonNode value) {
    return value.isMissingNode()
        || value.isNull()
        || (value.isTextual() && value.asText().isEmpty());
  }

  boolean has(String name) {
    return !isAbsent(object.path(name));
  }

  Optional<String> text(String name, int longest) throws InvalidRequestException {
    var value = object.path(name);
    if (isAbsent(value)) {
      return Optional.empty();
    }
    if (!value.isTextual()) {
      throw invalid(name, "has to be a text, not " + shown(value.toString()));
    }
    if (value.asText().length() > longest) {
      throw invalid(name, "has to be at most %d characters".formatted(longest));
    }
    return Optional.of(value.asText());
  }

  Optional<String> textOrNumber(String name) throws InvalidRequestException {
    var value = object.path(name);
    return value.isIntegralNumber() && value.canConvertToLong()
        ? Optional.of(value.asText())
        : text(name, LONGEST);
  }

  Optional<Long> number(String name, long least, long most) throws InvalidRequestException {
    var value = object.path(name);
    if (isAbsent(value)) {
      return Optional.empty();
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.asLong() < least
        || value.asLong() > most) {
      throw invalid(
          name,
          "has to be a whole number from %d to %d, not %s"
              .formatted(least, most, shown(value.toString())));
    }
    return Optional.of(value.asLong());
  }

  Optional<Fields> object(String name) throws InvalidRequestException {
    var value = object.path(name);
    if (isAbsent(value)) {
      return Optional.empty();
    }
    if (!value.isObject()) {
      throw invalid(name, "has to be an object");
    }
    return Optional.of(new Fields(value, path + name + "."));
  }

  /** All of them, which have to be texts. */
  SortedMap<String, String> texts() throws InvalidRequestException {
    var texts = new TreeMap<String, String>();
    for (var field : object.properties()) {
      if (!field.getValue().isTextual()) {
        throw invalid(field.getKey(), "has to be a text");
      }
      texts.put(field.getKey(), field.getValue().asText());
    }
    return texts;
  }

  static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }
}
