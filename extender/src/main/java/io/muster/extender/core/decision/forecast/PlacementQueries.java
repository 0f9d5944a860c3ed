package io.muster.extender.core.decision.forecast;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.QueueUsage;
import io.muster.extender.core.decision.cache.RunningUnits;
import io.muster.extender.core.decision.report.QueueReading;
import io.muster.extender.core.decision.report.Reporter;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.scheduling.QueueOrder;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Misfit;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.GangStanding;
import io.muster.extender.core.protocol.query.NodeStanding;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.core.protocol.query.QueuedGang;
import io.muster.extender.core.protocol.query.RoomFor;
import io.muster.extender.core.protocol.query.RunTime;
import io.muster.extender.core.protocol.query.RunningUnit;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Answers those who make jobs larger and smaller: who waits, for what, and what would change it.
 * The same planner decides as for the gangs themselves. No answer changes anything but {@link
 * #isGivenRoom}, which holds preemption back. Confined to one thread at a time, like {@link
 * GangScheduler}.
 */
public final class PlacementQueries {

  /** A job gets so long to let workers go. */
  private static final Duration GENTLER_WAY = Duration.ofSeconds(60);

  /** kube-scheduler gets so long to find a node. */
  private static final Duration A_MOMENT = Duration.ofSeconds(2);

  private final ClusterState cluster;
  private final Prospects prospects;
  private final PaperPlaces paper;

  public PlacementQueries(ClusterState cluster, GangPlans plans) {
    this.cluster = cluster;
    this.prospects = new Prospects(cluster);
    this.paper = new PaperPlaces(cluster, plans);
  }

  /** Gangs that wait though enough of their members are there, in the order of the line. */
  public List<WaitingGang> waiting(Instant now) {
    return inOrder(now).stream().map(gang -> new WaitingGang(gang.id, gang.priority())).toList();
  }

  /** Those of them that wait for room: not those that their queue holds back. */
  public List<WaitingGang> waitingForRoom(Instant now) {
    var held = cluster.queues().held();
    return inOrder(now).stream()
        .filter(gang -> cluster.queues().refusal(gang, held).isEmpty())
        .map(gang -> new WaitingGang(gang.id, gang.priority()))
        .toList();
  }

  private List<GangState> inOrder(Instant now) {
    return new QueueOrder(cluster).sorted(cluster.gangs().waiting(), now);
  }

  /** Those of them that may be in the queue that they name. */
  private List<GangState> inLine(Instant now) {
    return inOrder(now).stream().filter(gang -> cluster.queues().barred(gang).isEmpty()).toList();
  }

  /**
   * All gangs that wait: first those with enough members, in the order of the line, then those
   * without, those that may not be in the queue that they name, and those that are not started
   * again, by name.
   */
  public List<QueuedGang> queued(Instant now) {
    var queued = new ArrayList<QueuedGang>();
    var line = inLine(now);
    for (var gang : line) {
      queued.add(queued(gang, Optional.of(queued.size() + 1)));
    }
    var inLine = Set.copyOf(line);
    cluster.gangs().all().stream()
        .filter(gang -> gang.isWaiting() && gang.members.isAnyLive() && !inLine.contains(gang))
        .forEach(gang -> queued.add(queued(gang, Optional.empty())));
    return List.copyOf(queued);
  }

  /** All gangs that have members, by namespace and name. */
  public List<GangStanding> gangs(Instant now) {
    var positions = new HashMap<GangId, Integer>();
    inLine(now).forEach(gang -> positions.put(gang.id, positions.size() + 1));
    return cluster.gangs().all().stream()
        .filter(gang -> !gang.members.isEmpty())
        .flatMap(gang ->
            gang.terms.named().stream()
                .map(id -> standing(gang, id, Optional.ofNullable(positions.get(gang.id)))))
        .sorted(Comparator.comparing(GangStanding::gang))
        .toList();
  }

  private GangStanding standing(GangState gang, GangId id, Optional<Integer> position) {
    return new GangStanding(
        id,
        cluster.queues().of(gang),
        gang.priority(),
        gang.terms.minAvailableOf(id),
        gang.isWaiting() ? QueueUsage.needs(gang) : held(gang, id),
        gang.arrivals.bornAt(),
        position,
        Reporter.report(gang, id));
  }

  private static long held(GangState gang, GangId id) {
    return gang.members.live().stream()
        .filter(pod -> pod.isBound() && pod.isOf(id))
        .mapToLong(Pod::devices)
        .sum();
  }

  /** How the queues stand; what the only one uses where none is configured is not counted. */
  public List<QueueStanding> queues() {
    return new QueueReading(cluster)
        .read(
            cluster.gangs().all().stream()
                .filter(
                    gang -> gang.isWaiting() && !gang.limit.isReached() && gang.members.isAnyLive())
                .toList());
  }

  /** All nodes, by name. */
  public List<NodeStanding> nodes() {
    var used = new HashMap<String, Long>();
    var gangs = new HashMap<String, TreeSet<String>>();
    for (var held : cluster.pods().holding()) {
      var node = held.pod().progress().nodeName().orElseThrow();
      used.merge(node, held.pod().devices(), Long::sum);
      held.pod()
          .membership()
          .ifPresent(
              of -> gangs.computeIfAbsent(node, _ -> new TreeSet<>()).add(of.gang().toString()));
    }
    return cluster.inventory().snapshot().rooms().stream()
        .map(room ->
            new NodeStanding(
                room.node(),
                room.node().allocatable().devices(),
                used.getOrDefault(room.node().name(), 0L),
                room.freeDevices(),
                gangs.getOrDefault(room.node().name(), new TreeSet<>())))
        .toList();
  }

  /** What holds devices, and when it will be over. */
  public List<RunningUnit> running(Instant now) {
    return new RunningUnits(cluster)
        .all(now).stream()
            .map(unit ->
                new RunningUnit(
                    unit.gang().map(gang -> gang.id),
                    unit.pods().stream().map(Pod::key).toList(),
                    ran(unit, now),
                    unit.end().map(at -> new RunningUnit.End(at, runTime(unit)))))
            .toList();
  }

  private static Duration ran(RunningUnits.Unit unit, Instant now) {
    var before = unit.gang().map(gang -> gang.entry.saved()).orElse(Duration.ZERO);
    return Bounds.within(before.plus(Duration.between(unit.startedAt(), now)), Bounds.LONGEST_RUN);
  }

  private RunTime runTime(RunningUnits.Unit unit) {
    var ending = new RunTime(Duration.ZERO, RunTime.Source.ENDING);
    if (unit.isEnding()) {
      return ending;
    }
    return unit.gang()
        .map(cluster.runTimes()::shown)
        .orElseGet(() -> cluster.runTimes().shown(unit.pods().getFirst()))
        .orElse(ending);
  }

  /** How long that gang will run from its start on; empty if nobody knows. */
  public Optional<RunTime> runTime(GangId id) {
    return cluster.gangs().find(id).flatMap(cluster.runTimes()::left);
  }

  private QueuedGang queued(GangState gang, Optional<Integer> position) {
    return new QueuedGang(
        position,
        gang.id,
        cluster.queues().of(gang),
        gang.terms.quorum().isPresent() ? gang.counts.needed() : gang.members.live().size(),
        QueueUsage.needs(gang),
        gang.arrivals.bornAt(),
        Reporter.report(gang, gang.id));
  }

  /** Why there is no room for that gang, as it was last found; empty if it does not wait so. */
  public Optional<Shortage> shortage(GangId id) {
    return cluster
        .gangs()
        .waiting(id)
        .filter(gang -> gang.verdict.misfit().isPresent())
        .map(gang ->
            new Shortage(
                gang.counts.needed(),
                gang.verdict
                    .misfit()
                    .filter(Misfit.Later.class::isInstance)
                    .map(Misfit.Later.class::cast)
                    .map(Misfit.Later::asks),
                devices(gang),
                gang.verdict.text().orElse("")));
  }

  /** What is said of that gang by now; empty if there is none. */
  public Optional<GangReport> report(GangId id) {
    return cluster.gangs().find(id).map(gang -> Reporter.report(gang, id));
  }

  private List<Shortage.Amount> devices(GangState gang) {
    var demands = PaperPlaces.demands(gang);
    var needed = new TreeMap<String, Long>();
    for (var demand : demands) {
      demand.requests().eachAccelerator((name, units) -> needed.merge(name, units, Long::sum));
    }
    var shapes = Set.copyOf(demands);
    var open =
        cluster.inventory().snapshot().rooms().stream()
            .filter(room -> shapes.stream().anyMatch(room::isOpenTo))
            .toList();
    var amounts = new ArrayList<Shortage.Amount>();
    needed.forEach(
        (name, units) -> amounts.add(new Shortage.Amount(name, units, free(open, name))));
    return amounts;
  }

  private static long free(List<NodeState> rooms, String resource) {
    return rooms.stream().mapToLong(room -> Math.max(0, room.free(resource))).sum();
  }

  /**
   * Nodes for each of these, one after the other, each beside those before it, as if these pods
   * were gone; empty for one that has no room, or whose queue does not let it start, and that takes
   * none.
   */
  public List<Optional<List<String>>> places(
      List<RoomFor> asked, Collection<String> gone, Instant now) {
    return paper.places(asked, gone, now);
  }

  /**
   * Pods without a gang that have been there for a moment and have no node, though somebody would
   * give them one; not those that their queue holds back.
   */
  public List<Pod> withoutNode(Instant now) {
    var held = cluster.queues().held();
    return cluster.pods().all().stream()
        .filter(pod -> pod.membership().isEmpty() && !pod.isBound() && !pod.isTerminal())
        .filter(pod -> !pod.isGated() && !pod.progress().deleting())
        .filter(pod -> !pod.origin().createdAt().plus(A_MOMENT).isAfter(now))
        .filter(this::isTried)
        .filter(pod -> cluster.queues().refusal(pod, held).isEmpty())
        .sorted(
            Comparator.comparing((Pod pod) -> pod.origin().createdAt())
                .thenComparing(pod -> pod.key().uid()))
        .toList();
  }

  /**
   * Whether there is a scheduler of that name: it asks Muster, or it has said that no node suits.
   * Anybody may write a name, and no room would be enough for pods that nobody places.
   */
  private boolean isTried(Pod pod) {
    return cluster.schedulerCalls().isAskedBy(pod.origin().schedulerName())
        || pod.progress().rejection().isPresent();
  }

  /** What a pod asks for; nothing if it is not known. */
  public Resources asks(String podUid) {
    return cluster.pod(podUid).map(pod -> pod.shape().requests()).orElse(Resources.NONE);
  }

  /** Capacity of the nodes that accept pods. */
  public ResourceSum offered() {
    return cluster.inventory().totals().offered();
  }

  /** What all pods ask for that have not ended. */
  public ResourceSum asked() {
    return cluster.pods().asked();
  }

  /**
   * Where a pod is.
   *
   * @param space how many pods like it the node has room for, in thousandths of one
   * @param segment number of the segment of its gang that it is in; empty: it has none
   */
  public record Site(String node, long space, OptionalInt segment) {}

  /** Where these pods are, as if others were gone; those that are nowhere are left out. */
  public Map<String, Site> sites(Collection<String> podUids, Collection<String> gone) {
    return cluster
        .inventory()
        .asIfGone(
            gone,
            () -> {
              var sites = new HashMap<String, Site>();
              for (var uid : podUids) {
                cluster
                    .pod(uid)
                    .flatMap(pod ->
                        pod.progress()
                            .nodeName()
                            .flatMap(cluster.inventory()::room)
                            .map(room ->
                                new Site(
                                    room.node().name(),
                                    room.space(pod.shape()),
                                    cluster
                                        .knownGangOf(pod)
                                        .map(unit -> cluster.gangs().segmentOf(unit, pod))
                                        .orElse(OptionalInt.empty()))))
                    .ifPresent(site -> sites.put(uid, site));
              }
              return sites;
            });
  }

  /** Whether these pods would start, were they made now. */
  public Prospect ifMade(List<Prospect.Lot> lots, Instant now) {
    return prospects.of(lots, waiting(now).size(), now);
  }

  /**
   * The same, and if they would not: after whose end they would.
   *
   * @throws java.util.concurrent.CancellationException once it is given up
   */
  public Forecast forecast(List<Prospect.Lot> lots, Instant now, BooleanSupplier isGivenUp) {
    return prospects.forecast(lots, waiting(now).size(), now, isGivenUp);
  }

  /** Whether one of them could be on that node, were it empty. */
  public boolean couldUse(RoomFor asked, String node) {
    return paper.couldUse(asked, node);
  }

  /** Somebody makes room for that gang in a gentler way: nobody is ended for it meanwhile. */
  public void isGivenRoom(GangId id, Instant now) {
    cluster.gangs().waiting(id).ifPresent(gang -> gang.entry.preemptAgainAt(now.plus(GENTLER_WAY)));
  }
}
