package io.muster.controller.kinds.di;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.framework.UnfitPodException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.coordinator.RolePods;
import io.muster.controller.kinds.di.job.MainContainer;
import io.muster.controller.kinds.di.job.PodBody;
import io.muster.controller.kinds.di.task.CopyArguments;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a manifest says of one pod is no way to take all of Muster's memory. */
final class LargestPodsTest {

  @ParameterizedTest
  @CsvSource({"2000000000, star, 0", "2147483647, alone, 1", "1000, mesh, 4999"})
  void argumentsThatNoPodCouldHaveAreNotMade(int workers, String topology, int rank) {
    var job =
        Serialization.unmarshal(
            """
            metadata: {name: j, namespace: n}
            spec:
              template: {spec: {containers: [{name: main}]}}
              engineFields: {topology: %s, parallelWorkers: %d}
            """
                .formatted(topology, workers),
            DIJob.class);

    assertThatThrownBy(() -> CopyArguments.add(new ArrayList<>(), job, rank))
        .isInstanceOf(UnfitPodException.class)
        .hasMessageContaining("5000 is the most; lower spec.engineFields.parallelWorkers");
  }

  @Test
  void aVariableThatLinuxPassesToNobodyIsRefused() {
    assertThat(PodBody.variable("DI_NODES", "x".repeat(130_000)).getName()).isEqualTo("DI_NODES");
    assertThatThrownBy(() -> PodBody.variable("DI_NODES", "x".repeat(140_000)))
        .isInstanceOf(UnfitPodException.class)
        .hasMessageContaining("DI_NODES")
        .hasMessageContaining("ask for fewer pods");
  }

  @ParameterizedTest
  @CsvSource({"4, 4", "2000000000, 1000", "99999999999999, 1000"})
  void noMoreGpusHavePortsThanAnyNodeHas(String limit, int ports) {
    var pod =
        Serialization.unmarshal(
            """
            spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: "%s"}}}]}
            """
                .formatted(limit),
            Pod.class);

    assertThat(RolePods.gpus(pod, CoordinatorNames.LEARNER)).isEqualTo(ports);
  }

  @Test
  void aContainerWithoutANameIsTheFirst() {
    var pod = Serialization.unmarshal("spec: {containers: [{image: a}, {image: b}]}", Pod.class);

    assertThat(MainContainer.of(pod.getSpec(), "learner").getImage()).isEqualTo("a");
  }
}
