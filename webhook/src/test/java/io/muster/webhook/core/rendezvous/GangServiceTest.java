package io.muster.webhook.core.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class GangServiceTest {

  private static final List<String> GANGS =
      List.of(
          "train",
          "Train",
          "train_v2",
          "train-v2",
          "train.v2",
          "1",
          "-",
          "ä",
          "x".repeat(56),
          "x".repeat(57),
          "x".repeat(253),
          "train-8f3ec387");

  @Test
  void everyGangHasAServiceOfItsOwn() {
    assertThat(GANGS.stream().map(GangService::nameOf)).doesNotHaveDuplicates();
    assertThat(GangService.nameOf("train")).isEqualTo("muster-train");
  }

  /** Otherwise a gang could be called as the hashed name of another one. */
  @Test
  void noPlainNameLooksLikeAHashedOne() {
    var hashed = GangService.nameOf("Train").substring("muster-".length());

    assertThat(GangService.nameOf(hashed)).isNotEqualTo(GangService.nameOf("Train"));
  }

  @Test
  void everyNameMayBeThatOfAServiceAndOfAHost() {
    assertThat(Stream.concat(GANGS.stream(), Stream.of("", "a/b")).map(GangService::nameOf))
        .allMatch(name -> name.matches("[a-z]([-a-z0-9]*[a-z0-9])?") && name.length() <= 63);
  }
}
