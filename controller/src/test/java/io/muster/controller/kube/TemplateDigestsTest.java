package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.muster.controller.api.StoredState;
import io.muster.controller.core.state.JobState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TemplateDigestsTest {

  private static final String FIELD = "spec.worker.template";

  private static HasMetadata job(long generation) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName("j")
        .withGeneration(generation)
        .endMetadata()
        .build();
  }

  private static Map<String, PodTemplateSpec> image(String image) {
    return Map.of(
        FIELD,
        new PodTemplateSpecBuilder()
            .withNewSpec()
            .addNewContainer()
            .withName("main")
            .withImage(image)
            .endContainer()
            .endSpec()
            .build());
  }

  private static Optional<StoredState> stored(Map<String, PodTemplateSpec> templates) {
    return Optional.of(StoredStates.write(JobState.NEW, TemplateDigests.of(templates)));
  }

  @Test
  void anEditedTemplateIsNamedWithTheGenerationThatHasIt() {
    assertThat(TemplateDigests.changes(job(2), stored(image("a:1")), 1L, image("a:2")))
        .containsExactly(
            new Remark(
                false,
                "TemplateChanged",
                FIELD
                    + " has changed (generation 2): each pod that is made from now on has it, also in"
                    + " place of a lost one; those that there are stay as they are"));
  }

  @Test
  void nothingIsSaidOfANewJobNorOfOtherChangesNorOfAnotherWayToWriteDigests() {
    assertThat(TemplateDigests.changes(job(1), Optional.empty(), null, image("a:1"))).isEmpty();
    assertThat(TemplateDigests.changes(job(2), stored(image("a:1")), 1L, image("a:1"))).isEmpty();
    assertThat(TemplateDigests.changes(job(1), stored(image("b:1")), 1L, image("a:1"))).isEmpty();
  }

  @Test
  void theTemplateOfARoleThatCameLaterIsNoChange() {
    assertThat(TemplateDigests.changes(job(2), stored(Map.of()), 1L, image("a:1"))).isEmpty();
    var state =
        StoredStates.write(JobState.NEW, TemplateDigests.of(Map.of("spec.other", List.of())));
    assertThat(TemplateDigests.changes(job(2), Optional.of(state), 1L, image("a:1"))).isEmpty();
  }
}
