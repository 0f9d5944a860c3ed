package io.muster.extender.kube.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import org.junit.jupiter.api.Test;

final class GangObjectNamesTest {

  @Test
  void givesTheGangsOwnNameWhereAnObjectMayBearIt() {
    var names = GangObjectNames.candidates(koordinator("train-1.a"));

    assertThat(names).hasSize(2);
    assertThat(names.getFirst()).isEqualTo("train-1.a");
    assertThat(names.getLast()).matches("train-1-a-[0-9a-f]{8}");
  }

  @Test
  void makesAValidNameOfAnInvalidOne() {
    assertThat(GangObjectNames.candidates(koordinator("Team_A/Größe")))
        .singleElement()
        .asString()
        .matches("team-a-gr-e-[0-9a-f]{8}");
    assertThat(GangObjectNames.candidates(koordinator("___")))
        .singleElement()
        .asString()
        .matches("gang-[0-9a-f]{8}");
  }

  @Test
  void cutsALongNameToWhatAnObjectMayBear() {
    assertThat(GangObjectNames.candidates(koordinator("a".repeat(300))))
        .singleElement()
        .asString()
        .hasSize(253);
  }

  @Test
  void keepsDialectsApart() {
    assertThat(GangObjectNames.candidates(koordinator("train")).getLast())
        .isNotEqualTo(
            GangObjectNames.candidates(new GangId(Dialect.MUSTER, "ml", "train")).getLast());
  }

  private static GangId koordinator(String name) {
    return new GangId(Dialect.KOORDINATOR, "ml", name);
  }
}
