package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which of the gangs that wait are to be planned now. One that was found not to fit is tried again
 * when its members have changed, when its time is up, or when a node has become roomier that would
 * take one of its members now: any other change leaves it as it was. Confined to the decision
 * thread.
 */
final class PlanCandidates {

  private final World world;

  PlanCandidates(World world) {
    this.world = world;
  }

  /**
   * Those of them, in the order given.
   *
   * @param mostDevices that any gang could get now
   */
  List<GangState> among(List<GangState> waiting, long mostDevices, Instant now) {
    var roomier = world.inventory().takeRoomierNodes();
    var helped = new HashMap<Demand, Boolean>();
    return waiting.stream()
        .filter(gang ->
            world
                .faults()
                .ask(
                    "plan",
                    gang,
                    () ->
                        gang.isSetBack(now)
                            ? gang.tried.orElseThrow().devices() <= mostDevices
                                && mayHelp(gang, roomier, helped)
                            : isReady(gang, now)))
        .toList();
  }

  private static boolean isReady(GangState gang, Instant now) {
    return gang.terms.quorum().isPresent()
        && !now.isBefore(gang.holdOffUntil)
        && gang.headcount.isComplete();
  }

  private boolean mayHelp(GangState gang, Set<String> roomier, Map<Demand, Boolean> helped) {
    if (roomier.isEmpty()) {
      return false;
    }
    return !gang.terms.later().isEmpty()
        || gang.headcount.kinds().keySet().stream()
            .anyMatch(kind -> helped.computeIfAbsent(kind, one -> fitsOnAny(roomier, one)));
  }

  private boolean fitsOnAny(Set<String> nodes, Demand kind) {
    return nodes.stream().anyMatch(node -> world.inventory().fits(node, kind));
  }
}
