package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.muster.controller.core.state.Member;
import java.util.Optional;

/** Reads a pod as a member of a job. */
public final class PodMember {

  private PodMember() {}

  /**
   * The member.
   *
   * @param end of the container that counts; it has the reason where the pod has none
   * @param isBlameless if it has failed, that was not its own doing
   */
  public static Member of(
      Pod pod,
      String role,
      int index,
      Member.Phase phase,
      Optional<ContainerStateTerminated> end,
      boolean isBlameless) {
    return new Member(
        pod.getMetadata().getName(),
        pod.getMetadata().getUid(),
        role,
        index,
        phase,
        PodEnds.isCutShort(pod),
        Optional.ofNullable(pod.getSpec().getNodeName()),
        Optional.empty(),
        Optional.ofNullable(pod.getStatus())
            .map(PodStatus::getReason)
            .or(() -> end.map(ContainerStateTerminated::getReason))
            .or(() -> PodEnds.disruption(pod)),
        end.map(ContainerStateTerminated::getExitCode),
        isBlameless);
  }
}
