package io.muster.controller.kinds.etoperator;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.scaler.ScalerMapper;
import io.muster.controller.kinds.etoperator.scaler.ScalerMessages;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.extender.core.cluster.PodKey;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads the pods of a TrainingJob as its members. */
final class TrainingJobMembers {

  private TrainingJobMembers() {}

  /** Empty for a pod that is none of the job's own. */
  static Optional<Member> of(Pod pod, String jobUid) {
    var labels = Marks.labels(pod);
    var role = labels.get(EtOperatorNames.ROLE_LABEL);
    var index = index(pod, role);
    if (role == null || index.isEmpty() || !Ownership.isControlled(pod, jobUid)) {
      return Optional.empty();
    }
    return Optional.of(
        new Member(
            pod.getMetadata().getName(),
            pod.getMetadata().getUid(),
            role,
            index.getAsInt(),
            PodEnds.phase(pod),
            PodEnds.isCutShort(pod),
            Optional.ofNullable(pod.getSpec().getNodeName()),
            Optional.ofNullable(labels.get(EtOperatorNames.SCALE_OUT_LABEL))
                .map(name ->
                    ScalerMessages.id(ScalerMapper.OUT, pod.getMetadata().getNamespace(), name)),
            Optional.ofNullable(pod.getStatus())
                .map(PodStatus::getReason)
                .or(() -> PodEnds.disruption(pod)),
            PodEnds.end(pod).map(ContainerStateTerminated::getExitCode),
            false));
  }

  /** Workers are numbered by their names, which unlike labels nobody can change. */
  private static OptionalInt index(Pod pod, String role) {
    return EtOperatorNames.WORKER.equals(role)
        ? PodKey.ordinalOf(pod.getMetadata().getName())
        : OptionalInt.of(0);
  }
}
