package io.muster.controller.api;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * The rules of a community's kinds. Immutable.
 *
 * @param words what stands for <code>${word}</code> in CEL; null: there is nothing
 * @param rules by what they are of, in plural
 */
public record RuleTable(Map<String, String> words, Map<String, List<ObjectRule>> rules) {

  /** The table beside a class. */
  public static RuleTable beside(Class<?> type) {
    try (var table = type.getResourceAsStream("rules.yml")) {
      return Serialization.unmarshal(table, RuleTable.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ObjectRule ofJobs(String id) {
    return rules.get("jobs").stream()
        .filter(rule -> id.equals(rule.id()))
        .findFirst()
        .orElseThrow();
  }
}
