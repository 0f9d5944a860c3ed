package io.muster.controller.kinds.di;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.CoordinatorGeneration;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.Remark;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A live job whose user changes how its workers are made. */
final class TemplatesTest {

  private static final Generation GENERATION =
      new CoordinatorGeneration(new DiAddresses("http://s", "http://s", "d"), Optional::empty);

  private final DIJob job =
      Serialization.unmarshal(
          """
          apiVersion: diengine.opendilab.org/v2alpha1
          kind: DIJob
          metadata: {name: qbert, namespace: ml, uid: u, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}
          spec:
            coordinator: {template: {spec: {containers: [{name: c}]}}}
            collector: {template: {spec: {containers: [{name: c, image: old}]}}}
            learner: {template: {spec: {containers: [{name: c}]}}}
          """,
          DIJob.class);

  /** What its user is told when the job is looked at once more. */
  private List<Remark> look() {
    var told = GENERATION.remarks(job);
    job.setStatus(
        GENERATION.status(
            new DecidedJob<>(
                job,
                JobState.NEW,
                List.of(),
                List.of(),
                GangSight.NONE,
                List.of(),
                Instant.EPOCH)));
    return told;
  }

  private void changeTheCollectors(String image) {
    job.getSpec().collector().template().getSpec().getContainers().getFirst().setImage(image);
    job.getMetadata().setGeneration(job.getMetadata().getGeneration() + 1);
  }

  @Test
  void nothingIsSaidOfANewJob() {
    assertThat(look()).isEmpty();
    assertThat(look()).isEmpty();
  }

  @Test
  void itsUserIsToldOnceWhatHappensWhen() {
    look();
    changeTheCollectors("new");
    assertThat(look())
        .singleElement()
        .satisfies(remark -> {
          assertThat(remark.reason()).isEqualTo("TemplateChanged");
          assertThat(remark.isWarning()).isFalse();
          assertThat(remark.message())
              .startsWith("spec.collector.template has changed (generation 2)")
              .endsWith(
                  "those that there are stay as they are, but for the queue in which they wait");
        });
    assertThat(look()).isEmpty();
  }

  @Test
  void aChangeThatIsTakenBackIsAChange() {
    look();
    changeTheCollectors("new");
    var first = look();
    changeTheCollectors("old");
    assertThat(look()).hasSize(1).isNotEqualTo(first);
  }

  @Test
  void otherChangesOfTheJobAreNone() {
    look();
    job.getMetadata().setGeneration(2L);
    assertThat(look()).isEmpty();
  }

  @Test
  void anotherVersionOfMusterThatWritesTemplatesOtherwiseIsNoChange() {
    look();
    job.getStatus().state().templates().put("spec.collector.template", "as another version has it");
    assertThat(look()).isEmpty();
  }
}
