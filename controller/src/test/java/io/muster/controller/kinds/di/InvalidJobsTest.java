package io.muster.controller.kinds.di;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Observed;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobSpec;
import io.muster.controller.kinds.di.api.DiValidation;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kinds.di.task.TaskGeneration;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.GangSight;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs that were stored though they cannot be run: they fail with what is wrong, and stop nobody.
 */
final class InvalidJobsTest {

  private static final Generation TASKS =
      new TaskGeneration(new DiAddresses("http://s", "http://s", "svc.cluster.local"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "spec: {}",
        "spec: {tasks: []}",
        "spec: {tasks: [{type: none, template: {spec: {containers: []}}}]}",
        "spec: {tasks: [{name: a, template: {spec: {containers: [{name: c}]}}}, {name: a, template: {spec: {containers: [{name: c}]}}}]}"
      })
  void itFailsWithWhatIsWrong(String spec) {
    var job =
        Serialization.unmarshal(
            """
            apiVersion: diengine.opendilab.org/v2alpha1
            kind: DIJob
            metadata: {name: j, namespace: ml, uid: u, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}
            %s
            """
                .formatted(spec),
            DIJob.class);
    if (job.getSpec() == null) {
      job.setSpec(DIJobSpec.NOTHING);
    }
    var problems = DiValidation.in(job).stream().map(Fault::toString).toList();
    assertThat(problems).isNotEmpty();
    var outcome =
        JobEngine.reconcile(
            TASKS.job(job, problems),
            JobState.NEW,
            List.of(),
            new Observed(
                List.of(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Map.of(),
                List.of(),
                Map.of()),
            Instant.EPOCH);
    var status =
        TASKS.status(
            new DecidedJob<>(
                job,
                outcome.state(),
                List.of(),
                List.of(),
                GangSight.NONE,
                outcome.news(),
                Instant.EPOCH));
    assertThat(status.phase()).isEqualTo("Failed");
    assertThat(status.conditions().getLast().message()).isEqualTo(String.join("; ", problems));
    assertThat(outcome.actions()).isEmpty();
    assertThat(TASKS.enough(job).values()).allMatch(pods -> pods >= 0);
  }
}
