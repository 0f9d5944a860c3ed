package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.QueueUsage;
import io.muster.extender.core.decision.scheduling.AlikeGangs.Kind;
import io.muster.extender.core.decision.scheduling.Unschedulable.Lack;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.LastTry.Tried;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.decision.state.SameRequest;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.NvlinkDomain.Word;
import io.muster.extender.core.protocol.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Which of the gangs that wait are to be planned now, so that an event costs what it concerns and
 * not what waits: much like the queue of kube-scheduler, with its unschedulable pods and queueing
 * hints (KEP-4247). One that was found not to fit is tried again when it has changed, when its time
 * is up, when its queue lets it, or when a node has become roomier that would take one of its
 * members now; one without enough members when they have changed. Of those that ask for just the
 * same, and from which the same is kept, only the first in line is tried, and the next once that
 * one has got its places. Confined to the decision thread.
 */
public final class SchedulingQueue {

  private static final Withheld NO_DOMAINS =
      new Withheld(
          Reason.NVLINK_DOMAIN,
          "its members claim an NVLink domain, and the cluster has no ComputeDomains (%s/%s)"
              .formatted(NvlinkDomain.GROUP, NvlinkDomain.VERSION),
          "install NVIDIA's DRA driver with its ComputeDomain CRD, or create the pods again with %s:"
                  .formatted(GangKeys.NVLINK_DOMAIN)
              + " auto or none");

  private final ClusterState cluster;
  private final QueueOrder queueOrder;
  private final SameRequest.Pool requests = new SameRequest.Pool();

  /** Complete gangs that nothing is known about yet. */
  private final Set<GangState> untried = new LinkedHashSet<>();

  /** Those that were found not to fit, by what they ask for. */
  private final Map<Kind, AlikeGangs> alike = new HashMap<>();

  private final Unschedulable<AlikeGangs> alikeByLack = new Unschedulable<>();
  private final Map<GangState, AlikeGangs> kindOf = new HashMap<>();
  private final Timers<AlikeGangs> alikeAgain = new Timers<>();

  /** The same where more than what they ask for decides about them. */
  private final Unschedulable<GangState> special = new Unschedulable<>();

  /** When those are tried again, and those that are held off. */
  private final Timers<GangState> again = new Timers<>();

  SchedulingQueue(ClusterState cluster, QueueOrder queueOrder) {
    this.cluster = cluster;
    this.queueOrder = queueOrder;
  }

  /** How many there are that each have to be tried for themselves. */
  int size() {
    return untried.size() + special.size() + alike.size();
  }

  boolean isTimeUp(Instant now) {
    return again.isAnyDue(now) || alikeAgain.isAnyDue(now);
  }

  /** Takes in which gangs have changed, and whose time is up. */
  void refresh(Instant now) {
    cluster.gangs().takeChanged().forEach(gang -> sort(gang, now));
    again.takeDue(now).forEach(gang -> sort(gang, now));
  }

  private void sort(GangState gang, Instant now) {
    remove(gang);
    if (!cluster.gangs().knows(gang)
        || !gang.isWaiting()
        || gang.limit.isReached()
        || gang.quarantine.holds()) {
      return;
    }
    if (gang.setbacks.isHeldOff(now)) {
      holdOff(gang);
    } else if (cluster
        .faults()
        .ask("plan", gang, () -> isComplete(gang) && mayHaveCompanions(gang))) {
      if (gang.isSetBack(now)) {
        setBack(gang);
      } else {
        untried.add(gang);
      }
    }
  }

  private static boolean isComplete(GangState gang) {
    return gang.members.isAnyLive() && gang.terms.quorum().isPresent() && gang.counts.isComplete();
  }

  /**
   * Whether nothing is known to keep the NVLink domains from being there that members claim, or
   * their PodGroups. A gang of which one could not be made is planned once it has been: nobody ends
   * for it before, and nothing is reserved.
   */
  private boolean mayHaveCompanions(GangState gang) {
    var words = gang.terms.nvlinkWordsAtOdds();
    if (!words.isEmpty()) {
      gang.entry.withheld(Optional.of(atOdds(words)));
      return false;
    }
    if (gang.hasCompanions()) {
      return true;
    }
    if (lacksDomains(gang)) {
      gang.entry.withheld(Optional.of(NO_DOMAINS));
      return false;
    }
    if (gang.companions.hasFailed()) {
      cluster.ensureCompanions(gang);
      return false;
    }
    return true;
  }

  private static Withheld atOdds(Set<Word> words) {
    return new Withheld(
        Reason.NVLINK_DOMAIN,
        "its members state different values of %s: %s"
            .formatted(
                GangKeys.NVLINK_DOMAIN,
                words.stream().map(Word::text).collect(Collectors.joining(", "))),
        "state the same of %s on all of them, and create the pods again".formatted(Word.allowed()));
  }

  /** Whether it will be tried one day, or once something else than room is there. */
  boolean has(GangState gang) {
    return untried.contains(gang)
        || special.has(gang)
        || kindOf.containsKey(gang)
        || again.has(gang)
        || awaitsCompanions(gang);
  }

  /** Whether nothing but its queue or the room keeps it from its places. */
  boolean isTried(GangState gang) {
    return untried.contains(gang) || special.has(gang) || kindOf.containsKey(gang);
  }

  private boolean awaitsCompanions(GangState gang) {
    return !gang.terms.nvlinkWordsAtOdds().isEmpty()
        || (!gang.hasCompanions() && (gang.companions.areUnderWay() || lacksDomains(gang)));
  }

  private boolean lacksDomains(GangState gang) {
    return !cluster.servesDomains() && !gang.terms.claimingNvlink().isEmpty();
  }

  /** It is planned, or waits no more. */
  void remove(GangState gang) {
    untried.remove(gang);
    special.remove(gang);
    again.remove(gang);
    Optional.ofNullable(kindOf.remove(gang))
        .ifPresent(kind -> {
          kind.remove(gang);
          if (kind.isEmpty()) {
            alike.remove(kind.kind);
            alikeByLack.remove(kind);
            alikeAgain.remove(kind);
          }
        });
  }

  /** What it asks for, if nothing else decides whether it fits. */
  Optional<SameRequest> request(GangState gang, Instant now) {
    return requests.of(gang, now).filter(_ -> !cluster.nominatedPods().areAnyBelow(gang));
  }

  /** All that decides whether one fits that asks for this. */
  private Optional<Kind> kind(GangState gang, Optional<SameRequest> request) {
    return request
        .filter(_ -> gang.entry.backfill().isEmpty() && cluster.queues().barred(gang).isEmpty())
        .map(same ->
            new Kind(
                same,
                cluster.queues().of(gang),
                cluster.runTimes().of(gang),
                cluster.queues().mayBorrow(gang)));
  }

  /** Whatever changes, it is not tried before its time. */
  void holdOff(GangState gang) {
    remove(gang);
    again.set(gang, gang.setbacks.holdOffUntil());
  }

  /** It does not fit, as it has noted, and waits for what may change that. */
  void setBack(GangState gang) {
    remove(gang);
    var tried = gang.lastTry.failure().orElseThrow();
    var kind = kind(gang, tried.request());
    if (kind.isEmpty()) {
      special.put(gang, lackOf(gang, tried));
      again.set(gang, tried.until());
      return;
    }
    var others = alike.computeIfAbsent(kind.get(), AlikeGangs::new);
    alikeByLack.put(others, lackOf(gang, tried));
    others.add(queueOrder.standing(gang));
    kindOf.put(gang, others);
    alikeAgain.set(others, tried.until());
  }

  private Lack lackOf(GangState gang, Tried tried) {
    return gang.entry.isRefused()
        ? new Lack.Quota(cluster.queues().of(gang), QueueUsage.needs(gang))
        : new Lack.Room(tried.devices());
  }

  /**
   * The gang was found not to fit when the first of those like it was, which is tried more often.
   */
  void refresh(GangState gang, Instant now) {
    var others = kindOf.get(gang);
    if (others == null) {
      return;
    }
    var first = others.first(queueOrder, now);
    if (first != gang
        && first.lastTry.failure().isPresent()
        && first.lastTry.failure().get().changes()
            > gang.lastTry.failure().orElseThrow().changes()) {
      gang.lastTry.failed(first.lastTry.failure().get().of(gang.version()));
      gang.entry.withheld(first.entry.withheld());
    }
  }

  /**
   * Those to be tried: one of each kind at most, and those of whom it says nothing.
   *
   * @param mostDevices that any gang could get now
   */
  Ready ready(long mostDevices, Instant now) {
    var hints = new Hints(cluster.inventory().takeRoomierNodes(), mostDevices);
    var ready = new ArrayList<>(untried);
    for (var gang : special.of(hints::mayHelp)) {
      if (cluster.faults().ask("plan", gang, () -> hints.help(gang, special.lackOf(gang)))) {
        ready.add(gang);
      }
    }
    var kinds = new HashSet<AlikeGangs>();
    for (var kind : alikeAgain.due(now)) {
      alikeAgain.set(kind, now.plus(SchedulingCycle.TRIED_APART));
      kinds.add(kind);
      ready.addAll(toBeTried(kind, now));
    }
    for (var kind : alikeByLack.of(hints::mayHelp)) {
      var first = kind.first(queueOrder, now);
      var lack = alikeByLack.lackOf(kind);
      if (!kinds.contains(kind)
          && cluster.faults().ask("plan", first, () -> hints.help(first, lack))) {
        kinds.add(kind);
        ready.addAll(toBeTried(kind, now));
      }
    }
    return new Ready(ready, kinds);
  }

  /**
   * The first of them, and those for whom it says nothing: from which less is kept for pods that
   * have had a node nominated since they were found to be alike.
   */
  private Set<GangState> toBeTried(AlikeGangs kind, Instant now) {
    var tried = new LinkedHashSet<GangState>();
    tried.add(kind.first(queueOrder, now));
    tried.addAll(kind.highest(cluster.nominatedPods()::areAnyBelow));
    return tried;
  }

  /** Those to be tried at one moment. */
  final class Ready {

    private final List<GangState> gangs;
    private final Set<AlikeGangs> kinds;

    /** By what is asked for, what those saw that found no place: room kept for these gangs. */
    private final Map<SameRequest, List<Set<GangState>>> unfit = new HashMap<>();

    private Ready(List<GangState> gangs, Set<AlikeGangs> kinds) {
      this.gangs = gangs;
      this.kinds = kinds;
    }

    List<GangState> gangs() {
      return gangs;
    }

    /** It has got its places: the next of its kind is to be tried, if there is one. */
    Optional<GangState> next(GangState gang, Instant now) {
      var others = Optional.ofNullable(kindOf.get(gang)).filter(kinds::contains);
      remove(gang);
      return others.filter(left -> !left.isEmpty()).map(left -> left.first(queueOrder, now));
    }

    /** One that asks for this has found no place, and saw room that is kept for these. */
    void noteUnfit(Optional<SameRequest> request, Set<GangState> seen) {
      request.ifPresent(same -> unfit.computeIfAbsent(same, _ -> new ArrayList<>()).add(seen));
    }

    /** Whether one that asks for just the same has found no place, and saw as much. */
    boolean isUnfit(Optional<SameRequest> request, Set<GangState> seen) {
      return request
          .filter(same ->
              unfit.getOrDefault(same, List.of()).stream()
                  .anyMatch(others -> others.containsAll(seen)))
          .isPresent();
    }

    /** Room has come free. */
    void forgetUnfit() {
      unfit.clear();
    }
  }

  /** Whether what has happened may let gangs go that were found not to fit. */
  private final class Hints {

    private final Set<String> roomier;
    private final long mostDevices;
    private final Map<Demand, Boolean> byDemand = new HashMap<>();
    private final ToLongFunction<String> held = cluster.queues().held();

    Hints(Set<String> roomier, long mostDevices) {
      this.roomier = roomier;
      this.mostDevices = mostDevices;
    }

    /** Found once for all that lack just this; their members need not be looked at for it. */
    boolean mayHelp(Lack lack) {
      return switch (lack) {
        case Lack.Quota(String queue, long devices) ->
            cluster.queues().refusal(queue, devices, held).isEmpty();
        case Lack.Room(long devices) -> !roomier.isEmpty() && devices <= mostDevices;
      };
    }

    boolean help(GangState gang, Lack lack) {
      return switch (lack) {
        case Lack.Quota _ -> cluster.queues().refusal(gang, held).isEmpty();
        case Lack.Room _ -> !gang.terms.deferred().isEmpty() || reach(gang.counts.kinds().keySet());
      };
    }

    private boolean reach(Set<Demand> demands) {
      return demands.stream().anyMatch(demand -> byDemand.computeIfAbsent(demand, this::fits));
    }

    private boolean fits(Demand demand) {
      return roomier.stream().anyMatch(node -> cluster.inventory().fits(node, demand));
    }
  }
}
