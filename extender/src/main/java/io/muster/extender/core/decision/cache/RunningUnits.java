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
   * @param kept what is held for others of it, as the ledger names it
   * @param end when it will be over, if its run time is known; not before now
   * @param mayEnd whether it may be ended so that others start: Muster started it, or would have,
   *     and nobody loses a pod by it that runs or may start at any time
   */
  public record Unit(
      String name,
      Optional<GangState> gang,
      List<Pod> pods,
      List<String> kept,
      int priority,
      Instant startedAt,
      Optional<Instant> end,
      String queue,
      boolean mayEnd) {

    /** Those that the ledger knows of it. */
    public List<String> holders() {
      return Stream.concat(pods.stream().map(pod -> pod.key().uid()), kept.stream()).toList();
    }

    public long devices() {
      return pods.stream().mapToLong(pod -> pod.demand().requests().devices()).sum();
    }

    /** Devices that come free with it: also those that are kept for others of it. */
    public long frees() {
      return devices()
          + gang.stream()
              .flatMap(RunningUnits::kept)
              .mapToLong(open -> open.demand().requests().devices())
              .sum();
    }

    /** Whether it is on its way out. */
    public boolean isEnding() {
      return !pods.isEmpty() && pods.stream().allMatch(pod -> pod.progress().deleting());
    }

    /** Device seconds that are lost with it. */
    public long given(Instant now) {
      return Bounds.product(devices(), Math.max(0, Duration.between(startedAt, now).toSeconds()));
    }
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
      } else if (pod.demand().requests().devices() > 0) {
        cluster.faults().run("running", () -> units.add(single(pod, now)));
      }
    }
    gangs.forEach((gang, pods) -> {
      if (kept(gang).findAny().isPresent()
          || pods.stream().anyMatch(pod -> pod.demand().requests().devices() > 0)) {
        cluster.faults().run("running", () -> units.add(of(gang, pods, now)));
      }
    });
    return units;
  }

  /** What is kept for members that do not exist yet, and for pods that come later. */
  private static Stream<OpenPlace> kept(GangState gang) {
    return Stream.concat(gang.reservation.open().stream(), gang.deferred.places.values().stream());
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
        List.of(),
        pod.origin().priority(),
        startedAt,
        end(List.of(pod), startedAt, cluster.runTimes().of(pod), now),
        cluster.queues().of(pod),
        mayEnd);
  }

  private Unit of(GangState gang, List<Pod> pods, Instant now) {
    pods.sort(Members.ORDER);
    var startedAt =
        gang.satisfied()
            ? gang.entry
                .startedAt()
                .orElseGet(() ->
                    pods.stream().map(RunningUnits::startOf).min(Instant::compareTo).orElse(now))
            : now;
    return new Unit(
        gang.id.dialect() + ":" + gang.id,
        Optional.of(gang),
        List.copyOf(pods),
        kept(gang).map(OpenPlace::holder).toList(),
        pods.stream().mapToInt(pod -> pod.origin().priority()).max().orElse(gang.priority()),
        startedAt,
        end(pods, startedAt, cluster.runTimes().of(gang), now),
        cluster.queues().of(gang),
        Stream.concat(
                pods.stream(),
                gang.members.all().stream()
                    .filter(pod -> gang.members.isLive(pod) && mayStart(gang, pod)))
            .allMatch(Pod::mayEnd));
  }

  /** Of those that hold nothing yet. Others wait behind their gates, and stay when it ends. */
  private boolean mayStart(GangState gang, Pod pod) {
    return cluster.queues().isBinding(pod.key().uid()) || cluster.mayBeBound(gang, pod);
  }

  static Instant startOf(Pod pod) {
    return pod.progress().startedAt().orElse(pod.origin().createdAt());
  }

  private static Optional<Instant> end(
      List<Pod> pods, Instant startedAt, Optional<Duration> runTime, Instant now) {
    if (!pods.isEmpty() && pods.stream().allMatch(pod -> pod.progress().deleting())) {
      return Optional.of(now.plus(grace(pods, now)));
    }
    return runTime.map(startedAt::plus).map(end -> end.isBefore(now) ? now : end);
  }

  /** How long they may take to end if they are told to now. */
  public static Duration grace(List<Pod> pods, Instant now) {
    return pods.stream()
        .map(pod -> pod.endsWithin(now))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }
}
