package io.muster.webhook.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.muster.webhook.core.patch.Value;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A part of a document that somebody has written, and where it stands. What is wrong with it is
 * noted and reading goes on, so that all problems are told at once. Serves one reading.
 *
 * @param path of this part, as shown in problems
 */
record Part(JsonNode node, String path, List<String> problems) {

  /** A rule for one value, and what to say of one that breaks it. */
  record Form(Predicate<String> allows, String words) {

    static Form matching(String pattern, String words) {
      return new Form(text -> text.matches(pattern), words);
    }
  }

  private static final int LONGEST_SHOWN = 40;

  void problem(String sentence) {
    problems.add(path + " " + sentence);
  }

  boolean has(String key) {
    return !node.path(key).isMissingNode();
  }

  Part at(String key) {
    var joint = path.isEmpty() ? "" : path.endsWith(":") ? " " : ".";
    return new Part(node.path(key), path + joint + key, problems);
  }

  /** Whether it is an object without other members than these. */
  boolean isObjectOf(Set<String> keys) {
    if (!node.isObject()) {
      problem("must be a map");
      return false;
    }
    node.fieldNames()
        .forEachRemaining(key -> {
          if (!keys.contains(key)) {
            at(key).problem("is not known; there are " + String.join(", ", new TreeSet<>(keys)));
          }
        });
    return true;
  }

  /** The items of a list; none where it is missing. */
  List<Part> items(String key) {
    var list = at(key);
    if (!has(key)) {
      return List.of();
    }
    if (!list.node.isArray()) {
      list.problem("must be a list");
      return List.of();
    }
    return list.elements().toList();
  }

  private Stream<Part> elements() {
    return IntStream.range(0, node.size())
        .mapToObj(i -> new Part(node.get(i), "%s[%d]".formatted(path, i), problems));
  }

  /** The text under the key, where it is there and of that form. */
  Optional<String> text(String key, Form form) {
    return has(key) ? at(key).text(form) : Optional.empty();
  }

  /** The text of this part; numbers and booleans are no text, so that none is taken for one. */
  Optional<String> text(Form form) {
    if (!node.isTextual()) {
      problem("must be text, in quotes if it looks like a number; it must be " + form.words());
      return Optional.empty();
    }
    if (!form.allows().test(node.asText())) {
      var shown = node.asText();
      problem(
          "is \"%s\"; it must be %s"
              .formatted(
                  shown.length() > LONGEST_SHOWN
                      ? shown.substring(0, LONGEST_SHOWN) + "..."
                      : shown,
                  form.words()));
      return Optional.empty();
    }
    return Optional.of(node.asText());
  }

  /** A quantity, which may look like a number. */
  Optional<String> quantity(Form form) {
    return node.isIntegralNumber()
        ? new Part(TextNode.valueOf(node.asText()), path, problems).text(form)
        : text(form);
  }

  Set<String> texts(String key, Form form) {
    var texts = new TreeSet<String>();
    items(key).forEach(item -> item.text(form).ifPresent(texts::add));
    return texts;
  }

  Map<String, String> map(String key, Form keys, Form values) {
    return map(key, keys, part -> part.text(values));
  }

  Map<String, String> quantities(String key, Form keys, Form values) {
    return map(key, keys, part -> part.quantity(values));
  }

  private Map<String, String> map(String key, Form keys, Function<Part, Optional<String>> reading) {
    var map = new HashMap<String, String>();
    var part = at(key);
    if (!has(key)) {
      return map;
    }
    if (!part.node.isObject()) {
      part.problem("must be a map");
      return map;
    }
    part.node
        .properties()
        .forEach(entry -> {
          var member =
              new Part(
                  entry.getValue(), "%s[\"%s\"]".formatted(part.path, entry.getKey()), problems);
          if (!keys.allows().test(entry.getKey())) {
            member.problem("has a key that must be " + keys.words());
          }
          reading.apply(member).ifPresent(text -> map.put(entry.getKey(), text));
        });
    return map;
  }

  Optional<Boolean> flag(String key) {
    if (!has(key)) {
      return Optional.empty();
    }
    if (!at(key).node.isBoolean()) {
      at(key).problem("must be true or false");
      return Optional.empty();
    }
    return Optional.of(node.path(key).booleanValue());
  }

  Optional<Long> whole(String key, long least, long most) {
    if (!has(key)) {
      return Optional.empty();
    }
    var number = node.path(key);
    if (!number.isIntegralNumber() || number.asLong() < least || number.asLong() > most) {
      at(key).problem("must be a whole number from %d to %d".formatted(least, most));
      return Optional.empty();
    }
    return Optional.of(number.asLong());
  }

  /** This part as it stands. */
  Value value() {
    if (node.isObject()) {
      var members = new LinkedHashMap<String, Value>();
      node.fieldNames().forEachRemaining(key -> members.put(key, at(key).value()));
      return new Value.Fields(members);
    }
    if (node.isArray()) {
      return new Value.Items(elements().map(Part::value).toList());
    }
    if (node.isTextual()) {
      return new Value.Text(node.asText());
    }
    if (node.isBoolean()) {
      return new Value.Flag(node.asBoolean());
    }
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      problem("must be text, a whole number, true, false, a list or a map");
    }
    return new Value.Whole(node.asLong());
  }
}
