package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.GangState;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is free of that which backfill reservations want, and so held for their gangs. Confined to
 * the decision thread.
 */
public final class BackfillHolds {

  private final ClusterState cluster;

  /** Gangs with a backfill reservation, by when they got it. */
  private final Set<GangState> holders = new LinkedHashSet<>();

  BackfillHolds(ClusterState cluster) {
    this.cluster = cluster;
  }

  public void add(GangState gang) {
    holders.add(gang);
  }

  /** Nothing is held for the gang any more; says whether anything was to be. */
  public boolean remove(GangState gang) {
    return holders.remove(gang);
  }

  /** Gangs with a backfill reservation, by when they got it. */
  public List<GangState> gangs() {
    return List.copyOf(holders);
  }

  /** Gangs of lower priority than the pod. */
  public List<GangState> below(Pod pod) {
    return holders.stream().filter(gang -> gang.priority() < pod.origin().priority()).toList();
  }

  /**
   * Those of its queue. kube-scheduler sees what is kept for them as free and preempts nobody for
   * the pod, so it may have that; what a gang of another queue takes back is not to be lent again.
   */
  public List<GangState> openTo(Pod pod) {
    var queue = cluster.queues().of(pod);
    return below(pod).stream().filter(gang -> cluster.queues().of(gang).equals(queue)).toList();
  }

  /** Under which names the inventory has what is kept for these gangs. */
  public static List<String> names(List<GangState> gangs) {
    return gangs.stream()
        .flatMap(gang ->
            gang.entry.backfill().stream()
                .flatMap(backfill -> backfill.wanted.keySet().stream())
                .map(node -> BackfillReservation.holder(gang.id, node)))
        .toList();
  }

  /**
   * Keeps what is wanted and free now, for the first that got a backfill reservation first. Pods
   * that have a node nominated come before all of them.
   */
  public void hold() {
    cluster.nominatedPods().hold();
    for (var gang : gangs()) {
      hold(gang, gang.entry.backfill().orElseThrow());
    }
  }

  private void hold(GangState gang, BackfillReservation backfill) {
    backfill.wanted.forEach((node, names) -> {
      var holder = BackfillReservation.holder(gang.id, node);
      cluster.inventory().setAside(holder);
      var amounts = new TreeMap<String, Long>();
      cluster
          .inventory()
          .room(node)
          .ifPresent(room ->
              names.forEach((name, units) -> {
                long kept = Math.min(units, Math.max(0, room.free(name)));
                if (kept > 0) {
                  amounts.put(name, kept);
                }
              }));
      backfill.held.put(node, amounts.values().stream().mapToLong(Long::longValue).sum());
      if (!amounts.isEmpty()) {
        cluster.inventory().occupy(holder, node, new Resources(0, 0, amounts));
      }
    });
  }

  /** Lets others see what is kept for the gang, until {@link #hold}. */
  public void lift(GangState gang) {
    names(List.of(gang)).forEach(cluster.inventory()::setAside);
  }

  /** Devices that are held now, for all of them. */
  public long devices() {
    return holders.stream()
        .flatMap(gang -> gang.entry.backfill().stream())
        .mapToLong(BackfillReservation::heldDevices)
        .sum();
  }
}
