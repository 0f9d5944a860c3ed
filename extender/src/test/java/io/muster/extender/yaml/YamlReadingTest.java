package io.muster.extender.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class YamlReadingTest {

  private static final YamlReading READING = new YamlReading();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: &x 1, b: *x} | line 1: an alias, *x: write out what it stands for",
        "[&x {c: d}, *x] | line 1: an alias, *x: write out what it stands for",
        "{a: &x 1, *x : 2} | line 1: no valid YAML: Expected a field name",
        "{a: &x {c: d}, b: {<<: *x}} | line 1: an alias, *x: write out what it stands for",
        "{a: [ | line 1: no valid YAML: while parsing a flow",
      })
  void whatWouldBeMisreadIsRefused(String yaml, String message) {
    assertThatThrownBy(() -> READING.first(yaml))
        .isInstanceOf(MalformedYamlException.class)
        .hasMessageStartingWith(message);
    assertThatThrownBy(() -> READING.all("a: b\n---\n" + yaml))
        .isInstanceOf(MalformedYamlException.class)
        .hasMessageStartingWith(message.replace("line 1", "line 3"));
  }

  @Test
  void nothingIsReadThatIsNestedTooDeep() {
    assertThatThrownBy(() -> READING.first("[".repeat(201) + "]".repeat(201)))
        .hasMessage("line 1: nested more than 200 deep");
  }

  @Test
  void anythingElseIsReadAsItIs() throws MalformedYamlException {
    assertThat(READING.first("a: &x 1\nb: '*x'")).hasToString("{\"a\":1,\"b\":\"*x\"}");
    assertThat(READING.first("a: 1\n--- \nb: *x")).as("of the first").hasToString("{\"a\":1}");
    assertThat(READING.first("").isMissingNode()).isTrue();
    assertThat(READING.all("a: 1\n---\nb: 2")).hasSize(2);
    assertThat(READING.all("")).isEmpty();
  }
}
