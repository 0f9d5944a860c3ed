package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which of the gangs that wait are to be planned now. One that was found not to fit is tried again
 * when its members have changed, when its time is up, or when a node has become roomier that would
 * take one of its members now: any other change leaves it as it was. Of many that ask for just the
 * same only the first in line is tried, and the next once that one has got its places. Confined to
 * the decision thread.
 */
final class PlanCandidates {

  private final World world;

  PlanCandidates(World world) {
    this.world = world;
  }

  /**
   * Those to be tried.
   *
   * @param each those that stand for themselves
   * @param alike those that were found not to fit, by what they ask for; none of the lists is empty
   */
  record Ready(
      List<GangState> each, IdentityHashMap<SameRequest, List<GangState>> alike) {

    boolean isEmpty() {
      return each.isEmpty() && alike.isEmpty();
    }
  }

  /**
   * Those of them.
   *
   * @param mostDevices that any gang could get now
   * @param mayStandForOthers whether what a gang asks for decides alone about it
   */
  Ready among(
      List<GangState> waiting, long mostDevices, boolean mayStandForOthers, Instant now) {
    var ready = new Ready(new ArrayList<>(), new IdentityHashMap<>());
    var help = new Help(world.inventory().takeRoomierNodes());
    for (var gang : waiting) {
      if (!gang.isSetBack(now)) {
        if (world.faults().ask("plan", gang, () -> isReady(gang, now))) {
          ready.each().add(gang);
        }
      } else if (help.isThere() && gang.tried.get().devices() <= mostDevices) {
        var request = gang.tried.get().request();
        boolean isKnown = request.isPresent() && help.isKnownFor(request.get());
        boolean isReached =
            isKnown
                ? help.reaches(request.get())
                : world.faults().ask("plan", gang, () -> help.reaches(gang));
        if (isReached && request.isPresent() && mayStandForOthers) {
          ready.alike().computeIfAbsent(request.get(), _ -> new ArrayList<>()).add(gang);
        } else if (isReached) {
          ready.each().add(gang);
        }
      }
    }
    return ready;
  }

  private static boolean isReady(GangState gang, Instant now) {
    return gang.terms.quorum().isPresent()
        && !now.isBefore(gang.holdOffUntil)
        && gang.headcount.isComplete();
  }

  /** Whether nodes that have become roomier take members. */
  private final class Help {

    private final Set<String> nodes;
    private final Map<Demand, Boolean> byDemand = new HashMap<>();
    private final IdentityHashMap<SameRequest, Boolean> byRequest = new IdentityHashMap<>();

    Help(Set<String> roomier) {
      nodes = roomier;
    }

    boolean isThere() {
      return !nodes.isEmpty();
    }

    boolean reaches(GangState gang) {
      var request = gang.tried.orElseThrow().request();
      return request.isPresent()
          ? reaches(request.get())
          : !gang.terms.later().isEmpty() || reaches(gang.headcount.kinds().keySet());
    }

    boolean isKnownFor(SameRequest request) {
      return byRequest.containsKey(request);
    }

    boolean reaches(SameRequest request) {
      return byRequest.computeIfAbsent(request, same -> reaches(same.kinds().keySet()));
    }

    private boolean reaches(Set<Demand> kinds) {
      return kinds.stream().anyMatch(kind -> byDemand.computeIfAbsent(kind, this::fits));
    }

    private boolean fits(Demand kind) {
      return nodes.stream().anyMatch(node -> world.inventory().fits(node, kind));
    }
  }
}
