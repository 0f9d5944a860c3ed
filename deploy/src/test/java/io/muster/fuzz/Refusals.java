package io.muster.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/** What whoever sent or wrote something hears when it is refused. */
final class Refusals {

  private Refusals() {}

  /** The sentence names a field that was broken. */
  static void checkNames(Set<String> fields, String sentence) {
    boolean isNamed =
        fields.stream().anyMatch(field -> !field.isEmpty() && sentence.contains(field));
    assertThat(isNamed).as("\"%s\" names one of %s", sentence, fields).isTrue();
    assertThat(sentence).doesNotContain("Exception", "java.", "io.muster.");
  }

  /** The sentence begins with the path of a field. */
  static void checkBeginsWithField(String sentence) {
    assertThat(sentence)
        .matches("(?s)(spec|metadata|status)[^ ]*: .+")
        .doesNotContain("Exception", "java.", "io.muster.");
  }
}
