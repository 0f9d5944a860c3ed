package io.muster.controller.kube;

import io.muster.controller.api.Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The conditions of a job or scaler while they are rewritten: one of a type, the latest last. */
public final class Conditions {

  /** Of what is said in one: with all it remembers, the object must find room in the store. */
  private static final int LONGEST_MESSAGE = 4096;

  private final List<Condition> list;
  private final String now;

  public Conditions(List<Condition> before, Instant now) {
    this.list = new ArrayList<>(Objects.requireNonNullElse(before, List.of()));
    this.now = time(now);
  }

  /** As Kubernetes writes times. */
  public static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** A sentence that may name thousands of pods, or be of somebody else's making. */
  public static String shortened(String message, int most) {
    return message.length() <= most ? message : message.substring(0, most - 1) + "…";
  }

  /** As long as fits beside the status of the largest job. */
  public static String shortened(String message) {
    return shortened(message, LONGEST_MESSAGE);
  }

  public static Optional<Condition> find(List<Condition> conditions, String type) {
    return Objects.requireNonNullElse(conditions, List.<Condition>of()).stream()
        .filter(condition -> condition.type().equals(type))
        .filter(condition -> "True".equals(condition.status()))
        .findFirst();
  }

  /** Whether it has come about, be it over by now. */
  public static boolean has(List<Condition> conditions, String type) {
    return Objects.requireNonNullElse(conditions, List.<Condition>of()).stream()
        .anyMatch(condition -> condition.type().equals(type));
  }

  public void happened(String type, String reason, String message) {
    list.removeIf(condition -> condition.type().equals(type));
    list.add(new Condition(type, "True", reason, shortened(message), now, now));
  }

  /** It is so, beside what happens: times stay those of its beginning, and others the latest. */
  public void holds(String type, String reason, String message) {
    if (list.stream().noneMatch(c -> c.type().equals(type) && "True".equals(c.status()))) {
      list.removeIf(condition -> condition.type().equals(type));
      list.addFirst(new Condition(type, "True", reason, shortened(message), now, now));
    }
  }

  /** It is not so, for that reason. */
  public void lacks(String type, String reason, String message) {
    states(type, false, reason, message);
  }

  /** It is so or not, beside what happens; the words may change while it stays so. */
  public void states(String type, boolean isSo, String reason, String sentence) {
    var message = shortened(sentence);
    var status = isSo ? "True" : "False";
    var same =
        list.stream().filter(c -> c.type().equals(type) && status.equals(c.status())).findFirst();
    if (same.filter(c -> message.equals(c.message())).isPresent()) {
      return;
    }
    list.removeIf(condition -> condition.type().equals(type));
    list.addFirst(
        new Condition(
            type,
            status,
            reason,
            message,
            now,
            same.map(Condition::lastTransitionTime).orElse(now)));
  }

  /** It is so no longer. */
  public void ended(String type) {
    list.replaceAll(condition ->
        condition.type().equals(type) && "True".equals(condition.status())
            ? new Condition(type, "False", condition.reason(), condition.message(), now, now)
            : condition);
  }

  public void forget(Set<String> types) {
    list.removeIf(condition -> types.contains(condition.type()));
  }

  public void forgetAll() {
    list.clear();
  }

  public List<Condition> list() {
    return List.copyOf(list);
  }
}
