package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.GangPlans.Wanted;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds places for gangs whose members are not all there yet, where that takes nothing from others.
 * While a gang waits that could start as it is:
 *
 * <ul>
 *   <li>no such places on nodes that would take a member of one before it now, and
 *   <li>all such places together never more than a share of the cluster's devices.
 * </ul>
 *
 * <p>While nobody waits there is nobody to harm. Places that were given before somebody came to
 * wait stay: they end by themselves, within {@code assemblyTotal}.
 */
final class Speculation {

  private static final int PERCENT = 100;

  private final World world;
  private final GangPlans plans;

  Speculation(World world, GangPlans plans) {
    this.world = world;
    this.plans = plans;
  }

  /** A node for each; empty if there are not places for all, or the gang has to wait for others. */
  Optional<List<String>> place(GangState gang, List<Wanted> wanted, Instant now) {
    var waiting =
        world.gangs().values().stream()
            .filter(other -> other != gang && other.isWaiting())
            .filter(other -> other.headcount.isComplete() && other.hasLiveMember())
            .toList();
    if (waiting.isEmpty()) {
      return plans.place(gang, wanted, now);
    }
    if ((Wanted.devices(wanted) + keptByOthers()) * PERCENT
        > world.inventory().totals().offeredDevices() * world.rules().speculativeShare()) {
      return Optional.empty();
    }
    var order = new Line(world).at(now);
    var before = waiting.stream().filter(other -> order.compare(other, gang) < 0).toList();
    return plans.place(gang, wanted, usefulTo(before), now);
  }

  private long keptByOthers() {
    return world.gangs().values().stream()
        .filter(gang -> gang.speculative && gang.phase == Phase.PLANNED)
        .flatMap(gang ->
            Stream.of(
                    gang.places.keySet().stream()
                        .flatMap(uid -> world.pod(uid).stream())
                        .map(Pod::demand),
                    gang.openPlaces.stream().map(GangState.OpenPlace::demand),
                    gang.later.places.values().stream().map(GangState.OpenPlace::demand))
                .flatMap(Function.identity()))
        .map(Demand::requests)
        .mapToLong(Resources::devices)
        .sum();
  }

  private Set<String> usefulTo(List<GangState> gangs) {
    // Members of one kind share their demand, and there are many more members than kinds.
    var demands = Collections.newSetFromMap(new IdentityHashMap<Demand, Boolean>());
    gangs.forEach(gang -> gang.headcount.chosen().forEach(pod -> demands.add(pod.demand())));
    var nodes = new HashSet<String>();
    for (var room : world.inventory().snapshot().rooms().values()) {
      if (demands.stream().anyMatch(room::fits)) {
        nodes.add(room.node().name());
      }
    }
    return nodes;
  }
}
