package io.muster.extender.core.decision.report;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.plan.Totals;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.Usage.Cause;
import io.muster.extender.core.protocol.Usage.Delayed;
import io.muster.extender.core.protocol.Usage.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.WeakHashMap;

/**
 * Reads off what gangs wait for and keep. Walks over gangs, and over the members of those that hold
 * places; of nodes it reads the totals alone. Confined to the decision thread.
 */
public final class UsageReading {

  /** What the minimum of a gang asks for: by device name, how many members ask for how much. */
  private record Wanted(
      long version, Map<String, Map<Long, Integer>> members, Map<String, Long> units) {

    static Wanted of(long version, Map<String, Map<Long, Integer>> members) {
      var units = new TreeMap<String, Long>();
      members.forEach((name, sizes) ->
          sizes.forEach((size, count) -> units.merge(name, size * count, Long::sum)));
      return new Wanted(version, members, units);
    }
  }

  private final ClusterState cluster;
  private final QueueReading queues;
  private final Map<GangState, Wanted> wanted = new WeakHashMap<>();

  public UsageReading(ClusterState cluster) {
    this.cluster = cluster;
    this.queues = new QueueReading(cluster);
  }

  public Usage read(Instant now) {
    var waiting = new ArrayList<GangState>();
    int ended = 0;
    var reserved = new EnumMap<Holder, Long>(Holder.class);
    var delayed = new EnumMap<Cause, Delayed>(Cause.class);
    var oldestPlan = Duration.ZERO;
    for (var gang : cluster.gangs().all()) {
      if (gang.satisfied()) {
        reserved.merge(Holder.CLAIM, keptOpen(gang), Long::sum);
      } else if (!gang.isWaiting()) {
        long held = keptOpen(gang) + placed(gang);
        reserved.merge(Holder.INCOMPLETE, held, Long::sum);
        add(delayed, causeOf(gang), held);
        if (gang.phase() == Phase.PLANNED) {
          oldestPlan = longer(oldestPlan, gang.reservation.madeAt(), now);
        }
      } else if (gang.members.isAnyLive() && gang.limit.isReached() && !gang.quarantine.holds()) {
        ended++;
      } else if (gang.members.isAnyLive()) {
        waiting.add(gang);
      }
    }
    waiting.sort(GangState.OLDEST_FIRST);
    var free = cluster.inventory().totals();
    return new Usage(
        count(waiting, ended),
        waiting.isEmpty()
            ? Duration.ZERO
            : longer(Duration.ZERO, waiting.getFirst().arrivals.bornAt(), now),
        oldestPlan,
        reserved,
        withRoom(waiting, delayed, free, now),
        cluster.queues().queues().arePlain() ? List.of() : queues.read(waiting),
        cluster.pods().asked(),
        free.offered(),
        free.freeDevices(),
        stranded(waiting, free));
  }

  /**
   * @param ended those that have run for their run-time limit: they ask for nothing
   */
  private static Map<Reason, Integer> count(List<GangState> waiting, int ended) {
    var byReason = new EnumMap<Reason, Integer>(Reason.class);
    if (ended > 0) {
      byReason.put(Reason.RUN_TIME_LIMIT, ended);
    }
    waiting.forEach(gang -> byReason.merge(reasonOf(gang), 1, Integer::sum));
    return byReason;
  }

  /** What its readers were told last, if it is still of use: to work it out anew costs more. */
  private static Reason reasonOf(GangState gang) {
    return gang.told
        .of(gang.id)
        .map(told -> told.report().reason())
        .filter(Reason.ofWaiting()::contains)
        .orElseGet(() -> Reporter.waitingReason(gang));
  }

  private static Cause causeOf(GangState gang) {
    if (gang.phase() == Phase.PLANNED) {
      return Cause.BARRIER;
    }
    return !gang.burst.isToBeRepaired() ? Cause.BINDING : Cause.REPAIR;
  }

  /** Adds the waiting gangs that the free devices would do for, oldest first. */
  private Map<Cause, Delayed> withRoom(
      List<GangState> waiting, Map<Cause, Delayed> delayed, Totals totals, Instant now) {
    var free = new HashMap<String, Long>();
    for (var gang : waiting) {
      var cause = causeOfWaiting(gang, now);
      var names = cause.isEmpty() ? Map.<String, Long>of() : wantedBy(gang).units();
      names.keySet().forEach(name -> free.computeIfAbsent(name, totals::free));
      if (!names.isEmpty()
          && names.entrySet().stream().allMatch(e -> e.getValue() <= free.get(e.getKey()))) {
        names.forEach((name, units) -> free.merge(name, -units, Long::sum));
        add(delayed, cause.get(), names.values().stream().mapToLong(Long::longValue).sum());
      }
    }
    return delayed;
  }

  /** Empty where something else than the cluster or Muster keeps the gang. */
  private static Optional<Cause> causeOfWaiting(GangState gang, Instant now) {
    return switch (reasonOf(gang)) {
      case MEMBERS_MISSING -> Optional.of(Cause.ASSEMBLY);
      case NO_ROOM,
          TOO_LARGE,
          FRAGMENTED,
          NOT_ENOUGH_BESIDE,
          TOPOLOGY,
          NODES_UNSUITABLE,
          NODES_TAINTED,
          NODES_UNAVAILABLE ->
          Optional.of(Cause.FRAGMENTATION);
      case MUSTER_FAULT -> Optional.of(Cause.HOLD_OFF);
      case HELD_OFF ->
          Optional.of(gang.setbacks.isHeldOff(now) ? Cause.HOLD_OFF : Cause.FRAGMENTATION);
      case BEHIND_BACKFILL_RESERVATION, PREEMPTING -> Optional.of(Cause.FRAGMENTATION);
      case TERMS_MISSING,
          VOLUME_CLAIMS_MISSING,
          GANGS_MISSING,
          QUOTA,
          UNKNOWN_QUEUE,
          QUEUE_NOT_ALLOWED,
          RUN_TIME_LIMIT,
          NVLINK_DOMAIN,
          POD_GROUP,
          PREEMPTED,
          INVALID_TERMS,
          HELD_BY_OTHER_GATES,
          RESERVED,
          BINDING,
          COMPLETING,
          SATISFIED,
          BELOW_MINIMUM,
          LEFT_TO_OWNER,
          RESTARTING,
          SHADOW,
          OBSERVED,
          FINISHED ->
          Optional.empty();
    };
  }

  private long stranded(List<GangState> waiting, Totals totals) {
    var members = new TreeMap<String, TreeMap<Long, Long>>();
    for (var gang : waiting) {
      wantedBy(gang)
          .members()
          .forEach((name, sizes) -> {
            var sum = members.computeIfAbsent(name, _ -> new TreeMap<>());
            sizes.forEach((size, count) -> sum.merge(size, (long) count, Long::sum));
          });
    }
    long stranded = 0;
    for (var name : members.entrySet()) {
      long weighted = 0;
      long all = 0;
      for (var size : name.getValue().entrySet()) {
        weighted += size.getValue() * totals.stranded(name.getKey(), size.getKey());
        all += size.getValue();
      }
      stranded += weighted / all;
    }
    return stranded;
  }

  private Wanted wantedBy(GangState gang) {
    var known = wanted.get(gang);
    if (known == null || known.version() != gang.version()) {
      known = Wanted.of(gang.version(), membersOf(gang));
      wanted.put(gang, known);
    }
    return known;
  }

  /** Members still to be made are taken to be like the last one. */
  private static Map<String, Map<Long, Integer>> membersOf(GangState gang) {
    var members = new TreeMap<String, Map<Long, Integer>>();
    if (gang.terms.quorum().isEmpty()) {
      return members;
    }
    var chosen = gang.counts.chosen();
    chosen.forEach(pod -> add(members, pod.demand(), 1));
    int missing = gang.counts.needed() - chosen.size();
    if (missing > 0) {
      add(members, gang.counts.model().shape(), missing);
    }
    gang.deferred.toCome().forEach(wanted -> add(members, wanted.demand(), 1));
    return members;
  }

  private static void add(Map<String, Map<Long, Integer>> members, Demand demand, int count) {
    demand
        .requests()
        .eachAccelerator((name, units) ->
            members.computeIfAbsent(name, _ -> new TreeMap<>()).merge(units, count, Integer::sum));
  }

  private static void add(Map<Cause, Delayed> delayed, Cause cause, long devices) {
    delayed.put(cause, delayed.getOrDefault(cause, Delayed.NONE).and(devices));
  }

  private static long keptOpen(GangState gang) {
    return gang.deferred.devices()
        + gang.reservation.open().stream().mapToLong(OpenPlace::devices).sum();
  }

  /** Devices of members that have a place or are recorded, and have not started. */
  private long placed(GangState gang) {
    var uids = gang.phase() == Phase.PLANNED ? gang.reservation.uids() : gang.record.uids();
    return uids.stream()
        .flatMap(uid -> cluster.pod(uid).stream())
        .filter(pod -> !gang.members.hasStarted(pod))
        .mapToLong(Pod::devices)
        .sum();
  }

  private static Duration longer(Duration known, Instant since, Instant now) {
    if (!since.isBefore(now)) {
      return known;
    }
    var age = Duration.between(since, now);
    return age.compareTo(known) > 0 ? age : known;
  }
}
