package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Levels.Level;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LevelsReadingTest {

  @Test
  void levelsAreReadOutermostFirst() {
    var read =
        LevelsReading.read(
            """
            levels:
            - name: block
              label: example.com/block
            - {name: rack, label: example.com/rack, keep: 2}
            """);
    assertThat(read.problems()).isEmpty();
    assertThat(read.levels())
        .isEqualTo(
            new Levels(
                List.of(
                    new Level("block", "example.com/block", 0),
                    new Level("rack", "example.com/rack", 2)),
                false));
  }

  @Test
  void aLevelMayHaveTheNameOfItsLabel() {
    var read = LevelsReading.read("levels: [{name: rack, label: rack}]");
    assertThat(read.problems()).isEmpty();
    assertThat(read.levels()).isEqualTo(new Levels(List.of(new Level("rack", "rack", 0)), false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "levels: auto"})
  void whereNoneAreStatedTheyAreFound(String text) {
    assertThat(LevelsReading.read(text)).isEqualTo(new LevelsReading.Read(Levels.FOUND, List.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "levels: 5 | the document must have one field, levels, with a list or with auto",
        "racks: [] | the document must have one field, levels, with a list or with auto",
        "levels: [5] | levels[0]: must be a map with a name and a label",
        "levels: [{name: A, label: l}] | levels[0].name: must be 1 to 63 lower-case letters, digits,"
            + " \"-\" and \".\", not \"A\"",
        "levels: [{name: a}] | levels[0].label: must be the key of a node label, not \"\"",
        "levels: [{name: a, label: l, keep: -1}] | levels[0].keep: must be an integer from 0 to"
            + " 1000, not -1",
        "levels: [{name: a, label: l, kept: 1}] | levels[0].kept: no such field; there are keep,"
            + " label, name",
        "levels: [{name: a, label: l}, {name: b, label: l}] | levels[1]: \"l\" is another level's"
            + " name or label",
        "levels: [{name: a, label: b}, {name: b, label: c}] | levels[1]: \"b\" is another level's"
            + " name or label",
        "levels: [{ | line 1: no valid YAML: while parsing a flow node"
      })
  void eachMistakeIsNamedWithWhatWouldBeRight(String text, String problem) {
    assertThat(LevelsReading.read(text).problems()).containsExactly(problem);
  }

  @Test
  void allMistakesAreToldAndNothingOfSuchADocumentHolds() {
    var read = LevelsReading.read("levels: [{name: a, label: l}, {name: '', label: '', keep: x}]");
    assertThat(read.problems()).hasSize(3);
    assertThat(read.levels()).isEqualTo(Levels.FOUND);
  }
}
