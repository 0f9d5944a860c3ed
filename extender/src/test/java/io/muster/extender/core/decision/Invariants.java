package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.plan.InventoryScan;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What must hold of a living {@link GangScheduler} after each event and each call:
 *
 * <ol>
 *   <li>a gang is in no state from which nothing leads on;
 *   <li>ledger and gangs agree: every holder has somebody to hold for, every place is held;
 *   <li>all that is kept up with each change is what a look at everything comes to.
 * </ol>
 */
final class Invariants {

  private final GangScheduler protocol;
  private final ClusterState cluster;
  private final Singles singles;

  /** Pods that are bound and not seen so yet. */
  private final Set<String> boundUnseen = new HashSet<>();

  /** By uid, for which gang a Binding is under way, whatever has become of the pod. */
  private final Map<String, GangId> underWay = new HashMap<>();

  private final List<String> faults = new ArrayList<>();
  private long scannedChanges = -1;

  Invariants(GangScheduler protocol) {
    this.protocol = protocol;
    cluster = protocol.cluster();
    singles = protocol.singles();
  }

  /** Fails with all that does not hold after that event, which has led to that. */
  void check(Event event, List<Effect> effects, Instant now) {
    if (event instanceof Event.BindingEnded ended) {
      underWay.remove(ended.pod().uid());
      if (ended.outcome() instanceof BindingOutcome.Bound) {
        boundUnseen.add(ended.pod().uid());
      }
    }
    note(effects);
    var step = event instanceof Event.PodSeen(Pod pod) ? "sight of " + pod.key() : event.toString();
    check(step, event instanceof Event.Tick, now);
  }

  /** The same after a call. */
  void check(String call, List<Effect> effects, Instant now) {
    note(effects);
    check(call, false, now);
  }

  private void note(List<Effect> effects) {
    for (var effect : effects) {
      if (effect instanceof Effect.Bind bind) {
        underWay.put(bind.pod().uid(), bind.gang());
      }
    }
  }

  private void check(String step, boolean isTick, Instant now) {
    if (!cluster.isReady()) {
      return;
    }
    boundUnseen.removeIf(
        uid -> cluster.pod(uid).filter(pod -> !pod.isBound() && !pod.isTerminal()).isEmpty());
    checkPods();
    var holders = new HashMap<String, String>();
    var active = new HashSet<>(cluster.gangs().active());
    for (var gang : cluster.gangs().all()) {
      checkPhase(gang);
      checkPlaces(gang, holders);
      checkCounts(gang);
      if (!active.contains(gang)) {
        checkRest(gang);
      }
      if (isTick && gang.isWaiting() && !gang.deferred.places.isEmpty()) {
        fault(gang, "it waits and keeps room for pods that come later");
      }
    }
    checkQueues(Set.copyOf(holders.keySet()));
    checkHolders(holders);
    if (cluster.inventory().changes() != scannedChanges) {
      faults.addAll(InventoryScan.faults(cluster.inventory()));
      scannedChanges = cluster.inventory().changes();
    }
    if (!faults.isEmpty()) {
      throw new AssertionError(
          "%s after %s: %s".formatted(now, step, String.join("; ", List.copyOf(faults))));
    }
  }

  private void fault(GangState gang, String sentence) {
    faults.add(
        "%s %s%s: %s"
            .formatted(gang.id, gang.phase(), gang.satisfied() ? ", started" : "", sentence));
  }

  // --- states that lead on ---

  private void checkPhase(GangState gang) {
    boolean isQuarantined = gang.quarantine.holds();
    if (!gang.heldCalls.uids().stream()
        .allMatch(uid -> gang.reservation.holds(uid) || gang.record.names(uid))) {
      fault(gang, "calls are held of members without a place: " + gang.heldCalls.uids());
    }
    if (gang.phase() == Phase.PLANNED && gang.counts.neededBeside(gang.reservation.uids()) > 0) {
      fault(gang, "planned without a place for each that is needed: " + gang.reservation.places());
    }
    if (gang.phase() == Phase.BINDING
        && !gang.record.isPending()
        && !underWay.containsValue(gang.id)
        && !gang.burst.isToBeRepaired()
        && !isQuarantined) {
      fault(gang, "nothing of its burst is under way, and nobody repairs it");
    }
    if (gang.satisfied() && !gang.heldCalls.areNone()) {
      fault(gang, "it has started and holds calls: " + gang.heldCalls.uids());
    }
    // That a gang which waits again has reached its limit is stored before the rest of it ends.
    if (gang.isWaiting() && gang.members.isAnyLive() && !gang.limit.isPending()) {
      checkWaiting(gang);
      // What ends so that it can start again has it taken in as it goes.
      boolean isAwaited = isQuarantined || !gang.ending.areNone() || gang.limit.isReached();
      if (!isAwaited && gang.counts.isComplete() && !protocol.isQueued(gang)) {
        fault(gang, "nothing will have it tried again");
      }
    }
  }

  private void checkWaiting(GangState gang) {
    if (!gang.heldCalls.areNone()
        || !gang.record.isEmpty()
        || gang.burst.isAnyUnderWay()
        || gang.record.isPending()
        || gang.burst.isToBeRepaired()) {
      fault(
          gang,
          "it waits with calls %s, record %s, pending %s, under way %s, repair %s"
              .formatted(
                  gang.heldCalls.uids(),
                  gang.record.places(),
                  gang.record.isPending(),
                  gang.burst.isAnyUnderWay(),
                  gang.burst.isToBeRepaired()));
    }
  }

  /** Who rests has nothing to do until something about it changes. */
  private void checkRest(GangState gang) {
    boolean isPending =
        gang.losses.areAny()
            || !gang.ending.areNone()
            || !gang.heldCalls.areNone()
            || gang.isReserved()
            || gang.record.isPending()
            || gang.burst.isAnyUnderWay()
            || gang.burst.isToBeRepaired()
            || gang.burst.isBeingUndone()
            || gang.entry.backfill().isPresent()
            || !gang.deferred.areNone()
            || !gang.gateRemovals.areNone();
    boolean isUnstarted =
        gang.satisfied() && gang.members.live().stream().anyMatch(pod -> !pod.isBound());
    if (isPending || isUnstarted) {
      fault(
          gang,
          "it rests, with claim %s, repair %s, lost %s, ending %s"
              .formatted(
                  gang.entry.backfill().isPresent(),
                  gang.burst.isToBeRepaired(),
                  gang.losses.areAny(),
                  gang.ending.uids()));
    }
  }

  // --- ledger and gangs ---

  /** Notes by holder whose it is. */
  private void checkPlaces(GangState gang, Map<String, String> holders) {
    gang.reservation
        .places()
        .forEach((uid, node) -> {
          holders.put(uid, "a place");
          checkHeld(gang, uid, node, "the place of ");
        });
    if (!gang.satisfied()) {
      gang.record.places().forEach((uid, place) -> checkRecorded(gang, uid, place.node(), holders));
    }
    for (var open : gang.reservation.open()) {
      holders.put(open.holder(), "an open place");
      checkHeld(gang, open.holder(), open.node(), "an open place, ");
    }
    for (var open : gang.deferred.places.values()) {
      holders.put(open.holder(), "a place for later");
      checkHeld(gang, open.holder(), open.node(), "a place for later, ");
    }
    gang.entry
        .backfill()
        .ifPresent(backfill ->
            backfill
                .wanted
                .keySet()
                .forEach(node -> {
                  var holder = "backfill#" + gang.id.dialect() + ":" + gang.id + "@" + node;
                  holders.put(holder, "a claim");
                  long held =
                      InventoryScan.requests(cluster.inventory(), holder)
                          .map(requests -> requests.devices())
                          .orElse(0L);
                  if (cluster.inventory().room(node).isPresent()
                      && held != backfill.held.getOrDefault(node, 0L)) {
                    fault(
                        gang,
                        "the backfill on %s holds %d of %s".formatted(node, held, backfill.held));
                  }
                }));
  }

  private void checkHeld(GangState gang, String holder, String node, String what) {
    if (!cluster.inventory().nodeOf(holder).equals(Optional.of(node))) {
      fault(
          gang,
          "%s%s is on %s, the ledger says %s"
              .formatted(what, holder, node, cluster.inventory().nodeOf(holder)));
    }
  }

  private void checkRecorded(GangState gang, String uid, String node, Map<String, String> holders) {
    var pod = cluster.pod(uid);
    if (pod.filter(known -> !known.isBound() && !known.isTerminal()).isEmpty()) {
      return;
    }
    holders.put(uid, "a recorded place");
    var held = cluster.inventory().nodeOf(uid);
    if (held.isPresent() && !held.get().equals(node)) {
      fault(gang, "%s is recorded on %s, the ledger says %s".formatted(uid, node, held.get()));
    }
  }

  private void checkHolders(Map<String, String> known) {
    cluster.leftDevices().keySet().forEach(holder -> known.put(holder, "left by a member"));
    faults.addAll(NominatedScan.faults(cluster));
    known.putAll(NominatedScan.nodes(cluster));
    for (var holder : InventoryScan.holders(cluster.inventory())) {
      if (!known.containsKey(holder) && !mayHold(holder)) {
        faults.add(
            "%s holds room on %s and is nobody's: %s"
                .formatted(
                    holder, cluster.inventory().nodeOf(holder).orElse(""), cluster.pod(holder)));
      }
    }
    for (var held : cluster.pods().holding()) {
      var pod = held.pod();
      if (!cluster.inventory().nodeOf(pod.key().uid()).equals(pod.progress().nodeName())) {
        faults.add("the ledger does not have " + pod.key() + " on " + pod.progress().nodeName());
      }
    }
  }

  private boolean mayHold(String uid) {
    return cluster
        .pod(uid)
        .filter(pod ->
            !pod.isTerminal()
                && (pod.isBound() || pod.progress().deleting() || isBinding(uid) || isSeated(pod)))
        .isPresent();
  }

  private boolean isBinding(String uid) {
    return singles.isBinding(uid) || boundUnseen.contains(uid);
  }

  /** A replacement that was sent to the place that was kept for it. */
  private boolean isSeated(Pod pod) {
    return cluster
        .knownGangOf(pod)
        .filter(gang ->
            gang.satisfied()
                && gang.members.isLive(pod)
                && !gang.members.hasStarted(pod)
                && cluster.isAsked())
        .isPresent();
  }

  // --- what is kept up ---

  private void checkPods() {
    var asked =
        cluster.pods().all().stream()
            .filter(pod -> !pod.isTerminal())
            .map(pod -> pod.shape().requests())
            .reduce(ResourceSum.NONE, ResourceSum::plus, (one, _) -> one);
    if (!asked.equals(cluster.pods().asked())) {
      faults.add("pods ask for %s, counted %s".formatted(cluster.pods().asked(), asked));
    }
    var held =
        cluster.pods().holding().stream()
            .collect(Collectors.toMap(each -> each.pod().key().uid(), each -> each));
    var counted = new HashSet<String>();
    for (var pod : cluster.pods().all()) {
      if (pod.isBound() && !pod.isTerminal()) {
        var kept = held.get(pod.key().uid());
        counted.add(pod.key().uid());
        if (kept == null
            || !kept.pod().equals(pod)
            || !kept.unit().equals(ClusterState.unitOf(pod))) {
          faults.add(pod.key() + " is on a node, and is kept as " + kept);
        }
      }
    }
    if (!counted.equals(held.keySet())) {
      faults.add("kept as on nodes: %s, are: %s".formatted(held.keySet(), counted));
    }
  }

  private void checkCounts(GangState gang) {
    int needed = gang.counts.neededBeside(Set.of());
    var chosen = gang.counts.chosenBeside(Set.of());
    if (gang.counts.needed() != needed) {
      fault(gang, "needs %d, kept as %d".formatted(needed, gang.counts.needed()));
    }
    if (!uids(chosen).equals(uids(gang.counts.chosen()))) {
      fault(gang, "chooses %s, kept as %s".formatted(uids(chosen), uids(gang.counts.chosen())));
    }
  }

  private static List<String> uids(List<Pod> pods) {
    return pods.stream().map(pod -> pod.key().uid()).toList();
  }

  /** What queues are said to hold is what pods, and those still to come, have or will get. */
  private void checkQueues(Set<String> placed) {
    var queues = cluster.queues();
    if (queues.queues().arePlain()) {
      return;
    }
    var counted = new HashMap<String, Long>();
    for (var pod : cluster.pods().all()) {
      var uid = pod.key().uid();
      boolean isKept = isSeated(pod) && cluster.inventory().nodeOf(uid).isPresent();
      if (!pod.isTerminal()
          && (pod.isBound() || isBinding(uid) || placed.contains(uid) || isKept)) {
        long asked = pod.demand().requests().devices();
        long given =
            InventoryScan.requests(cluster.inventory(), uid)
                .map(requests -> requests.devices())
                .orElse(0L);
        counted.merge(queues.of(pod), pod.isBound() ? asked : Math.max(asked, given), Long::sum);
      }
    }
    for (var gang : cluster.gangs().all()) {
      var kept = new ArrayList<>(gang.reservation.open());
      kept.addAll(gang.deferred.places.values());
      for (var open : kept) {
        counted.merge(queues.of(gang), open.demand().requests().devices(), Long::sum);
      }
    }
    var held = queues.held();
    for (var queue : queues.queues().all()) {
      long kept = held.applyAsLong(queue.name());
      if (kept != counted.getOrDefault(queue.name(), 0L)) {
        faults.add(
            "queue %s holds %d, counted %s"
                .formatted(queue.name(), kept, counted.get(queue.name())));
      }
    }
  }
}
