package io.muster.controller.kinds.dlrover.job;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.controller.kube.pod.PodMember;
import java.util.Optional;

/** Reads the pods of an ElasticJob as its members. */
public final class ElasticJobMembers {

  private ElasticJobMembers() {}

  /** Empty for a pod that is none of the job's own. */
  public static Optional<Member> of(Pod pod, String jobUid) {
    var labels = Marks.labels(pod);
    var role = labels.get(DlroverNames.ROLE_LABEL);
    var index = labels.getOrDefault(DlroverNames.INDEX_LABEL, "");
    if (role == null || !index.matches("[0-9]{1,9}") || !Ownership.isOwned(pod, jobUid)) {
      return Optional.empty();
    }
    var member =
        PodMember.of(
            pod, role, Integer.parseInt(index), PodEnds.phase(pod), PodEnds.end(pod), false);
    return Optional.of(member.madeFor(plan(pod)));
  }

  /** The plan that it was made for, as the engine calls it. */
  private static Optional<String> plan(Pod pod) {
    return Optional.ofNullable(Marks.labels(pod).get(DlroverNames.PLAN_LABEL))
        .map(plan -> pod.getMetadata().getNamespace() + "/" + plan);
  }
}
