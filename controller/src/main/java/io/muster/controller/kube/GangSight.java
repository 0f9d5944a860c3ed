package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the members of a job say of their gang. Immutable.
 *
 * @param isPlaced whether any of them has its place
 * @param reason why they wait together, as one that waits says it
 */
public record GangSight(boolean isPlaced, Optional<String> reason) {

  /** Where there is no gang, or nobody of it. */
  public static final GangSight NONE = new GangSight(false, Optional.empty());

  /** The condition that says whether a job's gang has its places. */
  public static final String CONDITION = "GangScheduled";

  private static final String SPEAKS_OF_GANG = "Gang \"";

  /**
   * What they say.
   *
   * @param members all pods of the job's gang
   */
  public static GangSight of(List<Pod> members) {
    return new GangSight(
        members.stream().anyMatch(pod -> pod.getSpec().getNodeName() != null),
        members.stream()
            .filter(pod -> pod.getSpec().getNodeName() == null && pod.getStatus() != null)
            .flatMap(pod -> pod.getStatus().getConditions().stream())
            .filter(condition -> "PodScheduled".equals(condition.getType()))
            .map(PodCondition::getMessage)
            .filter(Objects::nonNull)
            .filter(message -> message.startsWith(SPEAKS_OF_GANG))
            .sorted()
            .findFirst());
  }

  /** Says it beside the phase, which says nothing of that. */
  public void note(Conditions conditions) {
    if (isPlaced) {
      conditions.holds(CONDITION, "Placed", "its gang has its places");
    } else {
      reason.ifPresent(why -> conditions.lacks(CONDITION, "Waiting", why));
    }
  }
}
