package io.muster.controller.kube.node;

import io.fabric8.kubernetes.api.model.Node;
import io.muster.controller.kube.Marks;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Something on a node by which it says that it will go. Immutable.
 *
 * @param key of the taint or annotation, or type of the condition
 * @param messageStart how the message of a condition begins; empty: anyhow
 * @param saysWhen whether it bears the time of the release
 */
record Signal(Kind kind, String key, String messageStart, boolean saysWhen) {

  /** Where it is. */
  enum Kind {
    TAINT,
    CONDITION,
    ANNOTATION,
    UNSCHEDULABLE
  }

  private static final String EPOCH_SECONDS = "[0-9]{9,11}";

  /** The node bears it; with the time of the release where it says one that can be read. */
  record Given(Optional<Instant> releaseAt) {}

  Optional<Given> in(Node node) {
    return texts(node).findFirst().map(text -> new Given(saysWhen ? time(text) : Optional.empty()));
  }

  private Stream<String> texts(Node node) {
    var spec = Optional.ofNullable(node.getSpec());
    return switch (kind) {
      case TAINT ->
          spec.stream()
              .flatMap(s -> s.getTaints().stream())
              .filter(taint -> key.equals(taint.getKey()))
              .map(taint -> Objects.requireNonNullElse(taint.getValue(), ""));
      case CONDITION ->
          Optional.ofNullable(node.getStatus()).stream()
              .flatMap(status -> status.getConditions().stream())
              .filter(condition -> key.equals(condition.getType()))
              .filter(condition -> "True".equals(condition.getStatus()))
              .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
              .filter(message -> message.startsWith(messageStart))
              .map(message -> message.substring(messageStart.length()));
      case ANNOTATION -> Stream.ofNullable(Marks.annotations(node).get(key));
      case UNSCHEDULABLE ->
          spec.filter(s -> Boolean.TRUE.equals(s.getUnschedulable())).map(_ -> "").stream();
    };
  }

  private static Optional<Instant> time(String text) {
    var stripped = text.strip();
    if (stripped.matches(EPOCH_SECONDS)) {
      return Optional.of(Instant.ofEpochSecond(Long.parseLong(stripped)));
    }
    return parsed(stripped, DateTimeFormatter.ISO_OFFSET_DATE_TIME)
        .or(() -> parsed(stripped, DateTimeFormatter.RFC_1123_DATE_TIME));
  }

  private static Optional<Instant> parsed(String text, DateTimeFormatter form) {
    try {
      return Optional.of(form.parse(text, Instant::from));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
