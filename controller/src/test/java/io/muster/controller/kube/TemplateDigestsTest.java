package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TemplateDigestsTest {

  private static final String FIELD = "spec.worker.template";

  private static ElasticJob job(long generation) {
    var job = new ElasticJob();
    job.getMetadata().setName("j");
    job.getMetadata().setGeneration(generation);
    return job;
  }

  /** The job after an edit, with the status that was written before. */
  private static ElasticJob edited(Map<String, ?> templates) {
    var state = StoredStates.write(JobState.NEW, TemplateDigests.of(templates));
    var job = job(2);
    job.setStatus(new ElasticJobStatus("Running", null, null, state, 1L));
    return job;
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

  @Test
  void anEditedTemplateIsNamedWithTheGenerationThatHasIt() {
    assertThat(TemplateDigests.changes(edited(image("a:1")), image("a:2")))
        .containsExactly(
            new Remark(
                false,
                "TemplateChanged",
                FIELD
                    + " has changed (generation 2): each pod that is made from now on has it, also in"
                    + " place of a lost one; those that there are stay as they are, but for"
                    + " the queue in which they wait"));
  }

  @Test
  void nothingIsSaidOfANewJobNorOfOtherChangesNorOfAnotherWayToWriteDigests() {
    var sameGeneration = edited(image("b:1"));
    sameGeneration.getMetadata().setGeneration(1L);

    assertThat(TemplateDigests.changes(job(1), image("a:1"))).isEmpty();
    assertThat(TemplateDigests.changes(edited(image("a:1")), image("a:1"))).isEmpty();
    assertThat(TemplateDigests.changes(sameGeneration, image("a:1"))).isEmpty();
  }

  @Test
  void theTemplateOfARoleThatCameLaterIsNoChange() {
    assertThat(TemplateDigests.changes(edited(Map.of()), image("a:1"))).isEmpty();
    assertThat(TemplateDigests.changes(edited(Map.of("spec.other", List.of())), image("a:1")))
        .isEmpty();
  }
}
