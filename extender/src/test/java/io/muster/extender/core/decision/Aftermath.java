package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.InventoryScan;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What must be so once a cluster has long been quiet, by what is stored in it: no gang runs in part
 * that had not started whole, nobody waits beside room that would do, nothing is kept that nobody
 * uses.
 */
final class Aftermath {

  private final ClusterSimulation cluster;
  private final Map<String, AdverseGang> gangs = new HashMap<>();
  private final Inventory inventory = new Inventory();
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final long limit;
  private final List<String> faults = new ArrayList<>();

  /** Members that are not bound yet, and whose places are kept for ever. */
  private final List<Pod> hopedFor = new ArrayList<>();

  Aftermath(ClusterSimulation cluster, List<AdverseGang> gangs, long limit) {
    this.cluster = cluster;
    this.limit = limit;
    gangs.forEach(gang -> this.gangs.put(gang.name, gang));
    cluster.nodes.values().forEach(inventory::seen);
    cluster.pods.values().stream()
        .filter(pod -> pod.isBound() && !pod.isTerminal())
        .forEach(pod ->
            inventory.occupy(
                pod.key().uid(), pod.progress().nodeName().orElseThrow(), pod.demand().requests()));
    cluster
        .scheduler
        .preemption
        .promised()
        .forEach((pod, node) -> inventory.occupy(pod.key().uid(), node, pod.demand().requests()));
    cluster.muster().cluster().gangs().all().forEach(this::keepForWhoHolds);
    cluster.muster().cluster().gangs().all().stream()
        .filter(gang -> isCompletedForEver(gang.id, gang.members.live()))
        .forEach(this::keepForItsMissing);
  }

  /** A gang that nobody makes anew keeps the places of those that it still hopes to bind. */
  private void keepForItsMissing(GangState gang) {
    gang.candidates().stream()
        .filter(pod -> gang.record.names(pod.key().uid()))
        .forEach(pod -> {
          hopedFor.add(pod);
          inventory.occupy(
              pod.key().uid(),
              gang.record.node(pod.key().uid()).orElseThrow(),
              pod.demand().requests());
        });
  }

  /**
   * Where several gangs take turns at the head of the queue, others may wait for a long time; where
   * pods have just ended for a gang, until it gives up what they left.
   */
  private void keepForWhoHolds(GangState gang) {
    gang.entry
        .backfill()
        .ifPresent(backfill ->
            backfill.held.forEach((node, devices) ->
                inventory.occupy(
                    kept(gang.id, node),
                    node,
                    new Resources(0, 0, Map.of("nvidia.com/gpu", devices)))));
  }

  List<String> faults() {
    var units = new TreeMap<GangId, List<Pod>>();
    for (var pod : cluster.pods.values()) {
      if (ToldCluster.isLive(pod)) {
        ClusterState.unitOf(pod)
            .ifPresentOrElse(
                unit -> units.computeIfAbsent(unit, _ -> new ArrayList<>()).add(pod),
                () -> checkAlone(pod));
      }
    }
    units.forEach(this::checkGang);
    units.forEach(this::checkLimit);
    checkKept();
    cluster
        .scheduler
        .preemption
        .servedInVain()
        .forEach(pod -> faults.add(pod + ": others were preempted for it again and again"));
    if (cluster.scheduler.awaitsAnswers()) {
      faults.add("a bind call was never answered");
    }
    return faults;
  }

  private void checkGang(GangId unit, List<Pod> live) {
    boolean hasStarted = cluster.muster.promise.hasStarted(unit);
    var bound = live.stream().filter(Pod::isBound).toList();
    if (!bound.isEmpty()
        && !hasStarted
        && !isLeftOver(unit)
        && live.stream().noneMatch(this::isBare)) {
      faults.add("%s runs in part: %s".formatted(unit, names(bound)));
    }
    if (bound.isEmpty()
        && !hasReachedItsLimit(unit)
        && BurstPromise.isWhole(unit, live)
        && !awaitsEnds(unit)
        && !isCompletedForEver(unit, live)) {
      var chosen = chosen(live);
      if (isWithinLimit(chosen) && fitsWithWhatIsKeptForIt(unit, chosen)) {
        faults.add("%s waits, and there is room for %s".formatted(unit, names(chosen)));
      }
    }
    if (hasStarted
        && !bound.isEmpty()
        && joinOneByOne(unit, live)
        && !isLeftBroken(unit, live)
        && !areTakenForStrangers(unit, bound)) {
      checkWhoJoins(
          unit,
          live.stream()
              .filter(pod -> !pod.isBound() && !cluster.scheduler.lacksMembersOf(pod))
              .toList());
    }
  }

  private boolean hasReachedItsLimit(GangId unit) {
    return Optional.ofNullable(cluster.records.get(unit))
        .flatMap(GangRecord::limitReached)
        .isPresent();
  }

  /** By now every gang that Muster has started, and that may run for seconds, has ended. */
  private void checkLimit(GangId unit, List<Pod> live) {
    // Of gangs that start as one either limit may bind: that of whoever was seen first.
    boolean isShort =
        live.stream()
            .flatMap(pod -> pod.membership().stream())
            .flatMap(member ->
                member.terms() instanceof Terms.Usable usable
                    ? usable.groups().stream().map(name -> unit.sibling(name).name())
                    : Stream.of(member.gang().name()))
            .allMatch(name ->
                Optional.ofNullable(gangs.get(name))
                    .flatMap(AdverseGang::runTimeLimit)
                    .isPresent());
    var placed =
        live.stream().filter(pod -> pod.isBound() && pod.origin().placement().isPresent()).toList();
    boolean isOfMuster = 2L * placed.size() > live.stream().filter(Pod::isBound).count();
    if (isShort && isOfMuster && !isCompletedForEver(unit, live)) {
      faults.add("%s runs for longer than it may: %s".formatted(unit, names(placed)));
    }
  }

  /** It is being undone, and members take years to end: it does not start beside them. */
  private boolean awaitsEnds(GangId unit) {
    return state(unit)
        .filter(gang -> gang.burst.isBeingUndone())
        .filter(gang ->
            gang.members.all().stream()
                .anyMatch(pod -> pod.progress().deleting() && cluster.neverEnds.test(pod)))
        .isPresent();
  }

  /** A member that nobody makes anew is not ended, however long the others have no place. */
  private boolean isCompletedForEver(GangId unit, List<Pod> live) {
    return live.stream().anyMatch(this::isBare)
        && state(unit)
            .filter(gang -> gang.phase() == Phase.BROKEN && !gang.satisfied())
            .isPresent();
  }

  private Optional<GangState> state(GangId unit) {
    return cluster.muster().cluster().gangs().find(unit);
  }

  /**
   * Where nobody asks, a member whose gate came off while its gang ran may start after the others
   * have gone: as one that runs and waits for them, or, where this life of Muster has never met
   * anything of its kube-scheduler, as one that is none of Muster's business.
   */
  private boolean isLeftOver(GangId unit) {
    return !cluster.rules.placement().isAsked()
        && state(unit)
            .filter(gang ->
                gang.waitsAgain()
                    || gang.members.live().stream()
                        .noneMatch(pod ->
                            cluster
                                .muster()
                                .cluster()
                                .schedulerCalls()
                                .isAskedBy(pod.origin().schedulerName())))
            .isPresent();
  }

  /**
   * Where nobody asks, who joins a gang that runs bears no stamp. If all others go while nobody
   * leads, the next life of Muster cannot tell it from one that was started past it: those that
   * nobody makes anew run on alone, and who comes waits for as many as are needed.
   */
  private boolean areTakenForStrangers(GangId unit, List<Pod> bound) {
    return !cluster.rules.placement().isAsked()
        && bound.stream().allMatch(pod -> isBare(pod) && pod.origin().placement().isEmpty())
        && state(unit)
            .filter(gang -> !gang.satisfied() && gang.members.onlyUnmarkedStarted())
            .isPresent();
  }

  private static String kept(GangId gang, String node) {
    return "kept for " + gang + " on " + node;
  }

  private boolean fitsWithWhatIsKeptForIt(GangId gang, List<Pod> chosen) {
    var kept = cluster.nodes.keySet().stream().map(node -> kept(gang, node)).toList();
    return inventory.asIfGone(kept, () -> fits(chosen));
  }

  private boolean fitsBesideWhoComesFirst(Pod pod) {
    var open = cluster.muster().cluster().backfillHolds().openTo(pod);
    var kept =
        open.stream()
            .flatMap(gang -> cluster.nodes.keySet().stream().map(node -> kept(gang.id, node)))
            .toList();
    return inventory.asIfGone(kept, () -> fits(List.of(pod)));
  }

  /** A group goes by the gang that gives it its name, even if none of that one is left. */
  private boolean joinOneByOne(GangId unit, List<Pod> live) {
    boolean byName =
        Optional.ofNullable(gangs.get(unit.name()))
            .filter(gang -> gang.terms.matchPolicy() != Terms.MatchPolicy.ONCE_SATISFIED)
            .isEmpty();
    return byName
        && live.stream()
            .flatMap(pod -> pod.membership().stream())
            .allMatch(member ->
                member.terms() instanceof Terms.Usable usable
                    && usable.matchPolicy() == Terms.MatchPolicy.ONCE_SATISFIED);
  }

  /** What nobody makes anew is not ended for the gang to start again, but completed for ever. */
  private boolean isLeftBroken(GangId unit, List<Pod> live) {
    return live.stream().anyMatch(this::isBare)
        && (isCompletedForEver(unit, live)
            || Optional.ofNullable(gangs.get(unit.name()))
                .filter(gang -> startsAgain(gang.terms))
                .isPresent()
            || live.stream()
                .flatMap(pod -> pod.membership().stream())
                .anyMatch(member ->
                    member.terms() instanceof Terms.Usable usable && startsAgain(usable)));
  }

  private static boolean startsAgain(Terms.Usable terms) {
    return terms.onLoss() == Terms.OnLoss.RESTART || terms.onLoss() == Terms.OnLoss.SHRINK;
  }

  private void checkWhoJoins(GangId unit, List<Pod> waiting) {
    if (waiting.stream().noneMatch(cluster.scheduler::bindsItWithOthersAlone)) {
      waiting.forEach(this::checkAlone);
    } else if (isWithinLimit(waiting) && fits(waiting)) {
      faults.add("%s: there is room for all of %s".formatted(unit, names(waiting)));
    }
  }

  private void checkAlone(Pod pod) {
    boolean isPromised = cluster.scheduler.preemption.promised().containsKey(pod);
    if (!pod.isBound()
        && !isPromised
        && isWithinLimit(List.of(pod))
        && fitsBesideWhoComesFirst(pod)) {
      faults.add("%s waits, and there is room for it".formatted(pod.key()));
    } else if (isWithinLimit(List.of(pod))
        && cluster.scheduler.preemption.isOverdue(pod, inventory)) {
      faults.add("%s waits, and others could be preempted for it".formatted(pod.key()));
    }
  }

  private static List<String> names(List<Pod> pods) {
    return pods.stream().map(pod -> pod.key().name()).toList();
  }

  private boolean isBare(Pod pod) {
    return pod.origin().controllerUid().isEmpty();
  }

  /** The fewest of these that may start, masters first. */
  private static List<Pod> chosen(List<Pod> live) {
    var chosen = new ArrayList<Pod>();
    var taken = new HashMap<GangId, Integer>();
    for (boolean masters : new boolean[] {true, false}) {
      for (var pod : live) {
        var member = pod.membership().orElseThrow();
        int min = ((Terms.Usable) member.terms()).minAvailable();
        if (member.role().equals("master") == masters
            && taken.getOrDefault(member.gang(), 0) < min) {
          taken.merge(member.gang(), 1, Integer::sum);
          chosen.add(pod);
        }
      }
    }
    return chosen;
  }

  private boolean isWithinLimit(Collection<Pod> more) {
    return devicesInQueue(more)
                + devicesInQueue(cluster.pods.values().stream().filter(Aftermath::isOn).toList())
                + devicesInQueue(hopedFor)
            <= limit
        || devicesInQueue(more) == 0;
  }

  private static boolean isOn(Pod pod) {
    return pod.isBound() && !pod.isTerminal();
  }

  private static long devicesInQueue(Collection<Pod> pods) {
    return pods.stream()
        .filter(pod -> pod.wishes().hints().queue().isPresent())
        .mapToLong(pod -> pod.demand().requests().devices())
        .sum();
  }

  private boolean fits(List<Pod> pods) {
    var demands = pods.stream().map(this::demand).toList();
    return planner.decide(inventory.snapshot(), GangRequest.of(demands, Set.of()))
        instanceof Verdict.Placed;
  }

  /** What nobody makes anew stays where it was tied to. */
  private Demand demand(Pod pod) {
    return isBare(pod) ? pod.demand() : pod.shape();
  }

  /** kube-scheduler keeps its place for a pod that it has nominated the node to. */
  private boolean isKeptFromIt(Pod pod) {
    return cluster
        .muster()
        .cluster()
        .inventory()
        .nodeOf(pod.key().uid())
        .filter(node -> !cluster.scheduler.preemption.leaves(pod, node))
        .isPresent();
  }

  private void checkKept() {
    var state = cluster.muster().cluster();
    for (var gang : state.gangs().all()) {
      boolean isGoingOn = gang.phase() == Phase.PLANNED || gang.phase() == Phase.BINDING;
      if (isGoingOn && gang.members.isAnyLive()) {
        faults.add("%s is still %s with %s".formatted(gang.id, gang.phase(), gang.record.places()));
      }
    }
    for (var holder : InventoryScan.holders(state.inventory())) {
      boolean isUsed =
          holder.startsWith("backfill#")
              || NominatedScan.nodes(state).containsKey(holder)
              || state
                  .pod(holder)
                  .filter(pod ->
                      pod.isBound()
                          || isKeptFromIt(pod)
                          || pod.progress().deleting()
                          || isBare(pod)
                          || state
                              .knownGangOf(pod)
                              .filter(gang -> isCompletedForEver(gang.id, gang.members.live()))
                              .isPresent())
                  .isPresent();
      if (!isUsed) {
        faults.add("%s is kept, and nobody uses it".formatted(holder));
      }
    }
  }
}
