package io.muster.extender.core.decision;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The apiserver of a {@link ClusterSimulation} as Muster's writes meet it: each is done, or fails,
 * or is done and seems to have failed. Pods that start without a record of enough places are noted
 * as faults.
 */
final class SimulatedApi {

  /** Of the writes during an outage, so many in a hundred are done all the same. */
  private static final int DONE_UNANSWERED = 25;

  private final ClusterSimulation cluster;

  /** Members that a record has named together with enough others, by uid. */
  private final Set<String> recordedWhole = new HashSet<>();

  /** How often each Gang object has been written. */
  private final Map<GangId, Integer> versions = new HashMap<>();

  private final Random chance = new Random(1);
  private Instant downUntil = Instant.MIN;

  SimulatedApi(ClusterSimulation cluster) {
    this.cluster = cluster;
  }

  /** Answers nobody for that long. */
  void isDownFor(Duration time) {
    downUntil = cluster.now().plus(time);
  }

  boolean isDown() {
    return cluster.now().isBefore(downUntil);
  }

  /** Whether the write is done; one that is not seems so to nobody. */
  private boolean isDone() {
    return !isDown() || chance.nextInt(100) < DONE_UNANSWERED;
  }

  /** Does what is only to be tried for a few seconds. */
  void tryTo(Runnable write) {
    if (isDone()) {
      write.run();
    }
  }

  int versionOf(GangId gang) {
    return versions.getOrDefault(gang, 0);
  }

  /** Says whether it is known to be there. */
  boolean ensureCompanions(GangId gang, Optional<Effect.Group> group) {
    if (!cluster.fails() && isDone()) {
      cluster.domains.add(gang);
      group.ifPresent(wanted -> {
        if (cluster.groups.put(gang, wanted.minCount()) == null) {
          cluster.scheduler.groupSeen();
        }
      });
    }
    return !isDown() && cluster.domains.contains(gang);
  }

  void drop(GangId gang, boolean nvlink, boolean group) {
    if (nvlink) {
      cluster.domains.remove(gang);
    }
    if (group) {
      cluster.deleteGroup(gang);
    }
  }

  /** Members that claim a channel of a domain are let go once it is there. */
  private void checkDomain(Pod pod) {
    pod.membership()
        .filter(member -> member.nvlink().isClaimed())
        .filter(member -> !cluster.domains.contains(member.gang()))
        .ifPresent(_ ->
            cluster.faults.add(cluster.now() + " " + pod.key() + " let go without its domain"));
  }

  private void checkGroup(Pod pod) {
    pod.membership()
        .filter(_ -> pod.origin().grouping() == Pod.Grouping.OWN)
        .filter(member -> !cluster.groups.containsKey(member.gang()))
        .ifPresent(_ ->
            cluster.faults.add(cluster.now() + " " + pod.key() + " let go without its PodGroup"));
  }

  /** Says whether it is known to have been stored. */
  boolean writeRecord(Effect.WriteRecord write) {
    boolean fails = cluster.fails();
    if (fails || !isDone() || isOutdated(write.gang())) {
      return false;
    }
    store(write.gang(), write.report());
    return !isDown();
  }

  /** Whether it has been stored, or need not be. */
  boolean writeReport(Effect.WriteReport write) {
    if (isDown()) {
      return false;
    }
    if (!isOutdated(write.gang())) {
      store(write.gang(), write.report());
    }
    return true;
  }

  private boolean isOutdated(GangRecord record) {
    return Optional.ofNullable(cluster.records.get(record.gang()))
        .filter(stored -> stored.epoch() > record.epoch())
        .isPresent();
  }

  private void store(GangRecord record, GangReport report) {
    cluster.gangWrites++;
    versions.merge(record.gang(), 1, Integer::sum);
    cluster.records.put(record.gang(), record);
    cluster.reports.put(record.gang(), report);
    // Whatever it was written for, who reads it finds the places.
    if (record.placement().size() >= record.minAvailable()) {
      recordedWhole.addAll(record.placement().keySet());
    }
  }

  void forget(GangId gang) {
    tryTo(() -> cluster.records.remove(gang));
  }

  /**
   * Tries to bind the pod.
   *
   * @param isCovered whether it was when the Binding was sent: places may be lost after that
   * @param isKnown of which pods on nodes Muster can have known then
   */
  BindingOutcome writeBinding(Effect.Bind bind, boolean isCovered, Predicate<Pod> isKnown) {
    var pod = cluster.pods.get(bind.pod().uid());
    if (cluster.fails()) {
      return new BindingOutcome.Refused("refused");
    }
    if (!isDone()) {
      return new BindingOutcome.Unanswered("timeout");
    }
    if (pod == null || pod.progress().deleting()) {
      return new BindingOutcome.Lost("gone");
    }
    if (pod.isBound()) {
      return pod.progress().nodeName().equals(Optional.of(bind.node()))
          ? new BindingOutcome.Bound()
          : new BindingOutcome.Lost("bound elsewhere");
    }
    if (pod.isGated()) {
      return new BindingOutcome.Refused("gated");
    }
    if (!isCovered && !isCovered(bind) && !cluster.looksOn(pod)) {
      cluster.faults.add(cluster.now() + " " + pod.key() + " bound without a whole record");
    }
    cluster.bind(
        stamped(pod, bind.controlled()),
        bind.node(),
        Optional.of(bind.incarnation()).filter(known -> known > 0).map(known -> known.toString()),
        isKnown);
    return isDown() ? new BindingOutcome.Unanswered("timeout") : new BindingOutcome.Bound();
  }

  private static Pod stamped(Pod pod, boolean controlled) {
    return controlled ? pod.asControlled() : pod;
  }

  void ungate(Effect.Ungate ungate) {
    var key = ungate.pod();
    var pod = cluster.pods.get(key.uid());
    if (pod != null && pod.isGated()) {
      checkDomain(pod);
      var before = pod.progress();
      var free =
          stamped(pod, ungate.controlled())
              .at(
                  new Pod.Progress(
                      before.phase(),
                      before.nodeName(),
                      Optional.empty(),
                      before.deleting(),
                      without(before.gates(), Pod.GATE)));
      cluster.store(ungate.pin().map(pin -> PodBuilder.tied(free, pin)).orElse(free));
      cluster.scheduler.enqueue(key.uid(), Duration.ZERO);
    }
  }

  void release(Effect.Release release) {
    var pod = cluster.pods.get(release.pod().uid());
    if (pod == null || !pod.isGated() || cluster.fails() || !isDone()) {
      return;
    }
    checkDomain(pod);
    checkGroup(pod);
    if (!recordedWhole.contains(release.pod().uid())) {
      cluster.faults.add(cluster.now() + " " + pod.key() + " released without a whole record");
    }
    var before = pod.progress();
    var free =
        new Pod.Progress(
            before.phase(), before.nodeName(), Optional.empty(), before.deleting(), Set.of());
    var stamped =
        PodBuilder.bound(
            stamped(pod, release.controlled()),
            free,
            Optional.of(Long.toString(release.incarnation())));
    cluster.store(PodBuilder.tied(stamped, release.pin()));
    cluster.scheduler.enqueue(release.pod().uid(), Duration.ZERO);
  }

  private static Set<String> without(Set<String> gates, String gate) {
    var left = new HashSet<>(gates);
    left.remove(gate);
    return left;
  }

  /**
   * Whether a record that is stored now lets the pod be bound, or it needs none. A Binding of an
   * earlier incarnation may land when the gang waits again already.
   */
  boolean isCovered(Effect.Bind bind) {
    var pod = cluster.pods.get(bind.pod().uid());
    var gang = Optional.ofNullable(pod).flatMap(Pod::membership).map(Membership::gang);
    return gang.isEmpty()
        || cluster.records.values().stream()
            .filter(record ->
                record.gang().equals(gang.get())
                    || ClusterState.unitOf(pod).filter(record.gang()::equals).isPresent()
                    || record.placement().containsKey(bind.pod().uid()))
            .max(Comparator.comparingInt(record -> record.placement().size()))
            .filter(record ->
                record.satisfied()
                    || record.placement().size() >= record.minAvailable()
                    || bind.incarnation() < record.incarnation()
                    || cluster.boundOf(gang.get().name()) > 0)
            .isPresent();
  }
}
