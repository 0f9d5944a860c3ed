package io.muster.extender.core.decision.loss;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Members that were released to nodes which do not take them any more, of gangs that have room
 * elsewhere: their owners make them anew, and Muster ends no pod that has none.
 */
public final class StrandedMembers {

  /** A gang whose members are to end is not placed meanwhile. */
  private static final Duration REMADE_WITHIN = Duration.ofSeconds(10);

  private final ClusterState cluster;
  private final GangPlans plans;

  public StrandedMembers(ClusterState cluster, GangPlans plans) {
    this.cluster = cluster;
    this.plans = plans;
  }

  /**
   * Has those of a gang that does not fit recreated, if their nodes are all that has kept it from
   * starting for a while. Then the gang is held off.
   */
  public boolean remake(GangState gang, Instant now) {
    var members = gang.counts.chosen();
    var nodes =
        members.stream().anyMatch(pod -> pod.origin().pinning().pin().isPresent())
            ? plans.place(gang, untied(gang), now)
            : Optional.<List<String>>empty();
    if (nodes.isEmpty()) {
      gang.stranding.pauses(now);
      return false;
    }
    gang.stranding.goesOn(members.stream().anyMatch(this::hasLostItsNodes), now);
    if (now.isBefore(gang.stranding.due().orElseThrow())) {
      return false;
    }
    gang.stranding.ends();
    var stranded = new ArrayList<Pod>();
    for (int i = 0; i < members.size(); i++) {
      var node = nodes.get().get(i);
      var pod = members.get(i);
      boolean isStranded =
          pod.origin().pinning().pin().filter(pin -> !pin.nodes().contains(node)).isPresent();
      if (isStranded && pod.isMadeAnew()) {
        stranded.add(pod);
      }
    }
    if (stranded.isEmpty()) {
      return false;
    }
    gang.setbacks.recreated(REMADE_WITHIN, now);
    gang.verdict.failed(
        Counted.of(stranded.size(), "member", "was", "were")
            + " released to nodes that are lost, and recreated for others");
    stranded.forEach(pod ->
        cluster.emit(
            new Effect.Remake(
                pod.key(),
                "gang %s has room elsewhere, and the nodes this member was tied to are lost"
                    .formatted(gang.id))));
    return true;
  }

  /** Whether none of the nodes that it is tied to would take it even if it were empty. */
  private boolean hasLostItsNodes(Pod pod) {
    return pod.origin()
        .pinning()
        .pin()
        .filter(pin ->
            pin.nodes().stream()
                .noneMatch(node -> cluster.inventory().isOpenTo(node, pod.demand())))
        .isPresent();
  }

  private static List<Wanted> untied(GangState gang) {
    return gang.counts.chosen().stream()
        .map(pod -> Wanted.of(gang, pod).asking(pod.shape()))
        .toList();
  }
}
