package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the gang of a job is called, by what is kept on it. */
final class OwnGangTest {

  private static String name(String kept) {
    return OwnGang.of(
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("a")
            .addToAnnotations(OwnGang.KEPT, kept)
            .endMetadata()
            .build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.etoperator", "a.dlrover", "a.di", "a.paddle"})
  void aNameThatIsKeptStays(String kept) {
    assertThat(name(kept)).isEqualTo(kept);
  }

  /** Nobody can have it join a gang of another job so. */
  @ParameterizedTest
  @ValueSource(strings = {"", "b", "b.paddle", "a.", "ab", "a.x y", "a.X", "a.b/c", "a-1"})
  void whatSomebodyElseHasWrittenIsNone(String kept) {
    assertThat(name(kept)).isEqualTo("a");
  }
}
