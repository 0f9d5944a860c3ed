package io.muster.controller.kinds.dlrover.job;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodEnds;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads the pods of an ElasticJob as its members. */
public final class ElasticJobMembers {

  private ElasticJobMembers() {}

  /** Empty for a pod that is none of the job's own. */
  public static Optional<Member> of(Pod pod, String jobUid) {
    var labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
    var role = labels.get(DlroverNames.ROLE_LABEL);
    var index = labels.getOrDefault(DlroverNames.INDEX_LABEL, "");
    if (role == null || !index.matches("[0-9]{1,9}") || !Ownership.isOwned(pod, jobUid)) {
      return Optional.empty();
    }
    var status = Optional.ofNullable(pod.getStatus());
    return Optional.of(
        new Member(
            pod.getMetadata().getName(),
            pod.getMetadata().getUid(),
            role,
            Integer.parseInt(index),
            PodEnds.phase(pod),
            pod.getMetadata().getDeletionTimestamp() != null,
            Optional.ofNullable(pod.getSpec().getNodeName()),
            Optional.empty(),
            status
                .flatMap(s -> Optional.ofNullable(s.getReason()))
                .or(() -> PodEnds.end(pod).map(ContainerStateTerminated::getReason)),
            PodEnds.end(pod).map(ContainerStateTerminated::getExitCode),
            Instant.parse(pod.getMetadata().getCreationTimestamp())));
  }
}
