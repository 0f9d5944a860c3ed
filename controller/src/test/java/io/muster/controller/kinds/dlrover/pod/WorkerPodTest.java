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
    var job =
        Serialization.unmarshal(
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
    var create =
        new Action.Create(
            ElasticJob.WORKER, 2, "torch-edljob-worker-2", 2, Optional.of("ml/" + plan), 2, 0);

    assertThat(WorkerPod.make(job, create).getMetadata().getAnnotations())
        .containsEntry(GangKeys.NAME, gang)
        .containsEntry(GangKeys.ON_LOSS, "owner");
  }
}
