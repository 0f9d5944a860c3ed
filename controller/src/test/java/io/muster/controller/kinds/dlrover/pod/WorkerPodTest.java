package io.muster.controller.kinds.dlrover.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.extender.core.gang.GangKeys;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers that a ScalePlan adds start together, and then nothing is kept for lost ones. */
final class WorkerPodTest {

  @ParameterizedTest
  @CsvSource({
    "muster.io/gang-name, more, more",
    "muster.io/gang-name, torch, torch.scaleplan",
    "gang.scheduling.koordinator.sh/name, torch, torch"
  })
  void aPlanThatIsCalledLikeTheGangOfItsJobIsAGangOfItsOwn(String key, String plan, String gang) {
    var create =
        new Action.Create(
            ElasticJob.WORKER, 2, "torch-edljob-worker-2", 2, Optional.of("ml/" + plan), 2, 0);

    assertThat(WorkerPod.make(job(key), create).getMetadata().getAnnotations())
        .containsEntry(GangKeys.NAME, gang)
        .containsEntry(GangKeys.ON_LOSS, "owner");
  }

  /** Otherwise it would wait for others that are of gangs of plans, and never start. */
  @ParameterizedTest
  @CsvSource({
    "muster.io/gang-name, muster.io/gang-min, 1, 1",
    "gang.scheduling.koordinator.sh/name, gang.scheduling.koordinator.sh/min-available, 1, 1",
    "gang.scheduling.koordinator.sh/name, gang.scheduling.koordinator.sh/min-available, 3, 2"
  })
  void oneThatStartsWithFewerThanTheJobDidSaysSo(String key, String min, int size, String said) {
    var create =
        new Action.Create(
            ElasticJob.WORKER, 2, "torch-edljob-worker-2", size, Optional.empty(), 0, 1);
    assertThat(WorkerPod.make(job(key), create).getMetadata().getAnnotations())
        .containsEntry(key, "torch")
        .containsEntry(min, said);
  }

  private static ElasticJob job(String key) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: torch, namespace: ml, uid: u}
        spec:
          replicaSpecs:
            worker:
              replicas: 2
              template:
                metadata:
                  annotations:
                    %s: torch
                    muster.io/gang-min: "2"
                    gang.scheduling.koordinator.sh/min-available: "2"
                spec: {containers: [{name: main, image: mine}]}
        """
            .formatted(key),
        ElasticJob.class);
  }
}
