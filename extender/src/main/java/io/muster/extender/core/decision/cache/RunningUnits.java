package io.muster.extender.core.decision.cache;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.decision.state.GangState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What holds devices now, and will come to an end as one: gangs and pods on nodes, and gangs on
 * their way there. Confined to the decision thread.
 */
public final class RunningUnits {

  /**
   * A gang, or a pod of its own.
   *
   * @param name to tell units apart
   * @param pods those of it that hold devices
   * @param kept what is held for others of it
   * @param end when it will be over, if its run time is known; not before now
   * @param mayEnd whether it may be ended so that others start: Muster started it, or would have,
   *     and nobody loses a pod by it that runs or may start at any time
   * @param isLeftAlone whether one of its live pods has asked not to be ended so that others start
   */
  public record Unit(
      String name,
      Optional<GangState> gang,
      List<Pod> pods,
      Kept kept,
      int priority,
      Instant startedAt,
      Optional<Instant> end,
      String queue,
      boolean mayEnd,
      boolean isLeftAlone) {

    /** Those that the ledger knows of it. */
    public List<String> holders() {
      var holders = new ArrayList<String>();
      pods.forEach(pod -> holders.add(pod.key().uid()));
      holders.addAll(kept.holders());
      return holders;
    }

    public long devices() {
      long devices = 0;
      for (var pod : pods) {
        devices += pod.devices();
      }
      return devices;
    }

    /** Devices that come free with it: also those that are kept for others of it. */
    public long frees() {
      return devices() + kept.devices();
    }

    /** Whether it is on its way out. */
    public boolean isEnding() {
      return areEnding(pods);
    }

    /** Device seconds that are lost with it. */
    public long given(Instant now) {
      return Bounds.product(devices(), Math.max(0, Duration.between(startedAt, now).toSeconds()));
    }
  }

  /**
   * Places of a gang that are held for members that do not exist yet, and for pods that come later.
   *
   * @param holders as the ledger names them
   */
  public record Kept(List<String> holders, long devices) {
    public static final Kept NOTHING = new Kept(List.of(), 0);
  }

  /**
   * Those that end soonest first; where that is not known, the youngest first, as most jobs are
   * short.
   */
  public static final Comparator<Unit> SOONEST_FIRST =
      Comparator.comparing((Unit unit) -> unit.end().orElse(Instant.MAX))
          .thenComparing(Comparator.comparing(Unit::startedAt).reversed())
          .thenComparing(Unit::name);

  private final ClusterState cluster;

  public RunningUnits(ClusterState cluster) {
    this.cluster = cluster;
  }

  public List<Unit> all(Instant now) {
    var gangs = new IdentityHashMap<GangState, List<Pod>>();
    var units = new ArrayList<Unit>();
    for (var gang : cluster.gangs().all()) {
      if (gang.isReserved() || (!gang.satisfied() && !gang.record.isEmpty())) {
        gangs.put(gang, new ArrayList<>(onTheWay(gang)));
      }
    }
    for (var held : cluster.pods().holding()) {
      var pod = held.pod();
      var gang = cluster.knownGangOf(held);
      if (gang.isPresent()) {
        gangs.computeIfAbsent(gang.get(), _ -> new ArrayList<>()).add(pod);
      } else if (pod.devices() > 0) {
        cluster.faults().run("running", () -> units.add(single(pod, now)));
      }
    }
    gangs.forEach((gang, pods) -> {
      var kept = kept(gang);
      if (!kept.holders().isEmpty() || pods.stream().anyMatch(pod -> pod.devices() > 0)) {
        cluster.faults().run("running", () -> units.add(of(gang, pods, kept, now)));
      }
    });
    return units;
  }

  private static Kept kept(GangState gang) {
    var open = gang.reservation.open();
    var later = gang.deferred.places.values();
    if (open.isEmpty() && later.isEmpty()) {
      return Kept.NOTHING;
    }
    var all = Stream.concat(open.stream(), later.stream()).toList();
    return new Kept(
        all.stream().map(OpenPlace::holder).toList(),
        all.stream().mapToLong(OpenPlace::devices).sum());
  }

  /** Members that have a place and are not seen on it. */
  private List<Pod> onTheWay(GangState gang) {
    return Stream.concat(gang.reservation.uids().stream(), gang.record.uids().stream())
        .distinct()
        .flatMap(uid -> cluster.pod(uid).stream())
        .filter(pod -> !pod.isBound() && !pod.isTerminal())
        .toList();
  }

  private Unit single(Pod pod, Instant now) {
    var startedAt = startOf(pod);
    boolean mayEnd =
        pod.mayEnd()
            && pod.observed().isEmpty()
            && !pod.origin().nativeGang()
            && cluster.schedulerCalls().isAskedBy(pod.origin().schedulerName());
    return new Unit(
        pod.key().uid(),
        Optional.empty(),
        List.of(pod),
        Kept.NOTHING,
        pod.origin().priority(),
        startedAt,
        end(List.of(pod), startedAt, cluster.runTimes().of(pod), now),
        cluster.queues().of(pod),
        mayEnd,
        pod.asksToBeLeftAlone());
  }

  private Unit of(GangState gang, List<Pod> pods, Kept kept, Instant now) {
    pods.sort(Members.ORDER);
    var startedAt = gang.satisfied() ? startOf(gang, pods, now) : now;
    int priority = pods.isEmpty() ? gang.priority() : Integer.MIN_VALUE;
    boolean mayEnd = true;
    boolean isLeftAlone = false;
    for (var pod : pods) {
      priority = Math.max(priority, pod.origin().priority());
      mayEnd &= pod.mayEnd();
      isLeftAlone |= pod.asksToBeLeftAlone();
    }
    for (var pod : gang.members.all()) {
      if (gang.members.isLive(pod)) {
        mayEnd = mayEnd && (pod.mayEnd() || !mayStart(gang, pod));
        isLeftAlone |= pod.asksToBeLeftAlone();
      }
    }
    return new Unit(
        gang.id.dialect() + ":" + gang.id,
        Optional.of(gang),
        List.copyOf(pods),
        kept,
        priority,
        startedAt,
        end(pods, startedAt, cluster.runTimes().of(gang), now),
        cluster.queues().of(gang),
        mayEnd,
        isLeftAlone);
  }

  /**
   * Of those that are not seen on a node: it may be on one by now. Others wait behind their gates,
   * and stay when it ends.
   */
  private boolean mayStart(GangState gang, Pod pod) {
    return gang.members.hasStarted(pod)
        || cluster.queues().isBinding(pod.key().uid())
        || cluster.mayBeBound(gang, pod);
  }

  private Instant startOf(GangState gang, List<Pod> pods, Instant now) {
    return gang.entry
        .startedAt()
        .orElseGet(() -> pods.stream().map(this::startOf).min(Instant::compareTo).orElse(now));
  }

  private Instant startOf(Pod pod) {
    return cluster.timeOfDay().latest(pod.progress().startedAt().orElse(pod.origin().createdAt()));
  }

  private Optional<Instant> end(
      List<Pod> pods, Instant startedAt, Optional<Duration> runTime, Instant now) {
    if (areEnding(pods)) {
      return Optional.of(now.plus(grace(pods, cluster.timeOfDay().at(now))));
    }
    return runTime.map(startedAt::plus).map(end -> end.isBefore(now) ? now : end);
  }

  private static boolean areEnding(List<Pod> pods) {
    for (var pod : pods) {
      if (!pod.progress().deleting()) {
        return false;
      }
    }
    return !pods.isEmpty();
  }

  /** How long they may take to end if they are told to now. */
  public static Duration grace(List<Pod> pods, Instant timeOfDay) {
    return pods.stream()
        .map(pod -> pod.endsWithin(timeOfDay))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }
}
