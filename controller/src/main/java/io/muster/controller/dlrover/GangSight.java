package io.muster.controller.dlrover;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.muster.controller.dlrover.api.ElasticJob;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the workers of a job say of their gang. Immutable.
 *
 * @param isPlaced whether any of them has its place
 * @param reason why they wait together, as one that waits says it
 */
record GangSight(boolean isPlaced, Optional<String> reason) {

  /** Where there is no gang, or nobody of it. */
  static final GangSight NONE = new GangSight(false, Optional.empty());

  private static final String SPEAKS_OF_GANG = "Gang \"";

  static GangSight of(List<Pod> pods) {
    var workers =
        pods.stream()
            .filter(pod ->
                !ElasticJob.MASTER.equals(pod.getMetadata().getLabels().get(Names.ROLE_LABEL)))
            .toList();
    return new GangSight(
        workers.stream().anyMatch(pod -> pod.getSpec().getNodeName() != null),
        workers.stream()
            .filter(pod -> pod.getSpec().getNodeName() == null && pod.getStatus() != null)
            .flatMap(pod -> pod.getStatus().getConditions().stream())
            .filter(condition -> "PodScheduled".equals(condition.getType()))
            .map(PodCondition::getMessage)
            .filter(Objects::nonNull)
            .filter(message -> message.startsWith(SPEAKS_OF_GANG))
            .sorted()
            .findFirst());
  }
}
