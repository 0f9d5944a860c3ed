package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.RunningUnits;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.BackfillReservation;
import io.muster.extender.core.decision.state.BackfillReservation.Kind;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Ends gangs, each as a whole, and pods without a gang, so that a gang can start that comes before
 * them: the first of its {@link Victims} that will do, none that the others make needless. The room
 * is reserved for the gang before anybody ends, and what its queue gets back is promised to it.
 * Nothing ends for a gang that would not fit then, or that its queue would refuse.
 *
 * <p>Of a large cluster it looks for them in slices, between which filter calls are answered. Those
 * found are then asked for again at one moment, and nobody but them ends.
 *
 * <p>Confined to the decision thread.
 */
public final class Preemption {

  private static final Duration AFTER_GRACE = Duration.ofSeconds(30);
  private static final Duration TRIED_APART = Duration.ofSeconds(10);

  /** What has ended for a gang in vain is not ended for it again and again. */
  private static final Duration LONGEST_APART = Duration.ofHours(1);

  /** Time alone makes a gang due: little is gained by checking more often. */
  private static final Duration LOOKED_APART = Duration.ofMillis(500);

  /** Of a long line for which nobody could end, so many are examined at one time. */
  private static final int MOST_LOOKED_INTO = 32;

  private final ClusterState cluster;
  private final BackfillReservations backfills;
  private final CapacityOnceGone capacity;
  private final QueueOnceGone queueOnceGone;
  private final MemberFailures memberFailures;
  private final QueueOrder queueOrder;
  private final Timers<GangState> times = new Timers<>();
  private Instant lookedAt = Instant.MIN;
  private Optional<Search> search = Optional.empty();

  private SearchSlice slice = new SearchSlice(0);

  /**
   * For whom, and among whom.
   *
   * @param leaving others that leave without being told to: what they hold counts as free
   * @param isOfExcess none by whose end another queue would have less than its quota is among them
   */
  private record Search(
      GangState gang,
      List<Unit> units,
      List<Unit> leaving,
      Departures departures,
      boolean isOfExcess) {

    static Search among(GangState gang, List<Unit> units, List<Unit> leaving, boolean isOfExcess) {
      return new Search(gang, units, leaving, Departures.needed(units), isOfExcess);
    }

    /** Pods that leave from these nodes. */
    List<Pod> leavingFrom(Collection<String> nodes) {
      return leaving.stream()
          .flatMap(unit -> unit.pods().stream())
          .filter(pod -> pod.progress().nodeName().filter(nodes::contains).isPresent())
          .toList();
    }
  }

  Preemption(
      ClusterState cluster,
      BackfillReservations backfills,
      CapacityOnceGone capacity,
      MemberFailures memberFailures,
      QueueOrder queueOrder) {
    this.cluster = cluster;
    this.backfills = backfills;
    this.capacity = capacity;
    this.queueOnceGone = new QueueOnceGone(cluster);
    this.memberFailures = memberFailures;
    this.queueOrder = queueOrder;
  }

  /** Whether time alone has made it worth a check. */
  boolean isTimeUp(Instant now) {
    return times.isAnyDue(now);
  }

  /** Whether a slice is to follow, as soon as calls have been answered. */
  boolean isSearching() {
    return search.isPresent();
  }

  /** The gang was found not to fit: one day that makes it due. */
  void note(GangState gang) {
    times.set(gang, dueAt(gang));
  }

  private Optional<Instant> dueAt(GangState gang) {
    return gang.entry
        .inVainSince()
        .filter(_ -> mayBeDue(gang))
        .map(since -> since.plus(cluster.rules().waiting().preemptAfter()))
        .map(at -> at.isBefore(gang.entry.preemptAgainAt()) ? gang.entry.preemptAgainAt() : at);
  }

  private boolean mayBeDue(GangState gang) {
    return cluster.rules().waiting().preempts()
        && cluster.gangs().knows(gang)
        && gang.isWaiting()
        && !gang.limit.isReached()
        && !gang.quarantine.holds()
        && gang.members.isAnyLive()
        && gang.entry.preempts()
        && (gang.entry.withheld().isEmpty() || gang.entry.isQueueFull())
        && !gang.entry.hasBackfill(Kind.PREEMPTION);
  }

  /** Whether others end for the gang, or leave anyway, and it has been told so. */
  static boolean isUnderWay(GangState gang) {
    return gang.entry.hasBackfill(Kind.PREEMPTION)
        && gang.entry.withheld().filter(why -> why.reason() == Reason.PREEMPTING).isPresent();
  }

  /** Those that are due; of those that only seemed so it is noted when they will be. */
  private List<GangState> due(Instant now) {
    var due = new ArrayList<GangState>();
    for (var gang : times.due(now)) {
      boolean isDue = dueAt(gang).filter(at -> !now.isBefore(at)).isPresent();
      if (isDue && cluster.faults().ask("preemption", gang, gang.counts::isComplete)) {
        due.add(gang);
      } else if (isDue) {
        times.remove(gang);
      } else {
        note(gang);
      }
    }
    return due;
  }

  /** Puts it off. */
  private void tryAgainAt(GangState gang, Instant at) {
    gang.entry.preemptAgainAt(at);
    note(gang);
  }

  /** Makes room for the first that is due, if it can be made. */
  public void advance(Instant now) {
    if (isSearching() || now.isBefore(lookedAt.plus(LOOKED_APART))) {
      return;
    }
    lookedAt = now;
    var due = due(now);
    if (due.isEmpty()) {
      return;
    }
    if (noneComesBefore(due)) {
      due.forEach(gang -> tryAgainAt(gang, now.plus(TRIED_APART)));
      return;
    }
    var candidates = candidates(now);
    var hopeful = new ArrayList<GangState>();
    for (var gang : due) {
      if (candidates.mayBeAnyOf(gang)) {
        hopeful.add(gang);
      } else {
        tryAgainAt(gang, now.plus(TRIED_APART));
      }
    }
    // Each of them has had its turn before the first is due again.
    var turns = LOOKED_APART.multipliedBy(hopeful.size());
    var apart = turns.compareTo(TRIED_APART) > 0 ? turns : TRIED_APART;
    slice = wholeSlice();
    for (var gang : queueOrder.sorted(hopeful, now).stream().limit(MOST_LOOKED_INTO).toList()) {
      if (slice.isSpent()) {
        return;
      }
      tryAgainAt(gang, now.plus(apart));
      if (cluster.faults().ask("preemption", gang, () -> goesBefore(gang, candidates, now))) {
        return;
      }
    }
  }

  /** Where no queue is configured, only who has a lower priority ends for another. */
  private boolean noneComesBefore(List<GangState> due) {
    if (!cluster.queues().queues().arePlain()) {
      return false;
    }
    int highest = due.stream().mapToInt(GangState::priority).max().orElse(Integer.MIN_VALUE);
    return cluster.pods().all().stream().noneMatch(pod -> pod.origin().priority() < highest);
  }

  private Victims candidates(Instant now) {
    return new Victims(cluster, queueOrder, backfills.running().all(now), now);
  }

  private List<Unit> all(GangState gang, Victims candidates, List<Unit> leaving) {
    long free =
        cluster.inventory().totals().freeDevices()
            + cluster.backfillHolds().devices()
            + capacity.left();
    return candidates.of(gang, free + leaving.stream().mapToLong(Unit::devices).sum());
  }

  /** Whether others end for it, or may do so once the search for them is over. */
  private boolean goesBefore(GangState gang, Victims candidates, Instant now) {
    var leaving = candidates.leavingBefore(gang);
    var begun = Search.among(gang, all(gang, candidates, leaving), leaving, false);
    slice.setAside(begun.departures.pods());
    return begin(begun, candidates, now);
  }

  /** Searches while the slice lasts; whether others end now, or the search is to go on. */
  private boolean begin(Search begun, Victims candidates, Instant now) {
    if (begun.units.isEmpty()) {
      return false;
    }
    if (slice.plansLeft() > 0) {
      advance(begun, slice.plansLeft(), now);
    }
    if (begun.departures.isOver()) {
      return endFor(begun, candidates, begun.units, begun.departures.found(), now);
    }
    search = Optional.of(begun);
    return true;
  }

  private SearchSlice wholeSlice() {
    return new SearchSlice(cluster.inventory().nodeCount());
  }

  /** What is kept for others that it goes before is as good as free for it: nobody ends instead. */
  private void advance(Search current, int plans, Instant now) {
    var gang = current.gang;
    var behind = backfills.preemptingBehind(gang);
    var open = new HashSet<>(behind);
    open.addAll(backfills.openTo(gang, queueOrder.at(now), now));
    var beside = capacity.beside(gang, open, now);
    for (var unit : current.leaving) {
      unit.pods().forEach(pod -> beside.add(pod.key().uid()));
    }
    var own = capacity.leaving(gang, now);
    current.departures.onlyIf(queueOnceGone.of(gang, current.leaving, own));
    slice.planned(capacity.advance(gang, beside, behind, current.departures, plans, now));
  }

  private boolean endFor(
      Search over,
      Victims candidates,
      List<Unit> all,
      Optional<Departures.Found> found,
      Instant now) {
    var few =
        found.filter(some -> !some.gone().isEmpty() || !over.leavingFrom(some.nodes()).isEmpty());
    if (few.isEmpty()) {
      return false;
    }
    var gang = over.gang;
    if (over.isOfExcess || candidates.areOfExcess(gang, few.get().gone())) {
      makeRoom(gang, few.get(), over.leavingFrom(few.get().nodes()), now);
      return true;
    }
    // Another queue would have less than its quota.
    var others = candidates.ofExcess(gang, all);
    return begin(Search.among(gang, others, over.leaving, true), candidates, now);
  }

  /** Takes one slice of the search, if there is one. */
  public void goOn(Instant now) {
    var current = search;
    search = Optional.empty();
    current
        .filter(sought -> mayBeDue(sought.gang))
        .ifPresent(
            sought -> cluster.faults().run("preemption", sought.gang, () -> goOn(sought, now)));
  }

  private void goOn(Search current, Instant now) {
    var departures = current.departures;
    if (!current.gang.counts.isComplete()) {
      return;
    }
    if (departures.isOver()) {
      departures.found().ifPresent(found -> endThose(current, found.gone(), now));
      return;
    }
    slice = wholeSlice();
    slice.setAside(departures.pods());
    advance(current, Math.max(1, slice.plansLeft()), now);
    if (!departures.isOver() || departures.found().isPresent()) {
      search = Optional.of(current);
    }
  }

  /** Who was found over some time is asked for again as things are now. */
  private void endThose(Search over, List<Unit> found, Instant now) {
    var gang = over.gang;
    var candidates = candidates(now);
    var names = found.stream().map(Unit::name).collect(Collectors.toSet());
    var leaving = candidates.leavingBefore(gang);
    var all = all(gang, candidates, leaving);
    var some = all.stream().filter(unit -> names.contains(unit.name())).toList();
    if (over.isOfExcess) {
      some = candidates.ofExcess(gang, some);
    }
    var again = Search.among(gang, some, leaving, over.isOfExcess);
    advance(again, Integer.MAX_VALUE, now);
    // Another search has slices of its own.
    slice.end();
    endFor(again, candidates, all, again.departures.found(), now);
  }

  /**
   * Also where nobody is told to end: what the others leave is nobody else's to count upon then.
   *
   * @param leaving pods of others that leave without being told to
   */
  private void makeRoom(GangState gang, Departures.Found found, List<Pod> leaving, Instant now) {
    var waiting = cluster.rules().waiting();
    var victims = found.gone();
    var pods = new ArrayList<>(leaving);
    victims.forEach(unit -> pods.addAll(unit.pods()));
    pods.addAll(capacity.leaving(gang, now));
    var grace =
        shorter(RunningUnits.grace(pods, cluster.timeOfDay().at(now)), waiting.preemptionGrace());
    // Whoever takes years to end keeps nobody else waiting for longer than a reservation may last.
    var until = now.plus(shorter(grace, waiting.longestBackfill())).plus(AFTER_GRACE);
    var wanted = Reservations.wanted(gang);
    var backfill = BackfillReservation.on(found.nodes(), wanted, Kind.PREEMPTION, now, until);
    backfill.expected(Optional.of(now.plus(grace)));
    backfills.give(gang, backfill);
    // What others leave for these is given to it first.
    backfills
        .preemptingBehind(gang)
        .forEach(other -> backfills.give(other, other.entry.backfill().orElseThrow()));
    tryAgainAt(gang, until.plus(wait(gang.entry.preemptions())));
    if (!victims.isEmpty()) {
      gang.entry.countPreemption();
    }
    var why = victims.isEmpty() ? shownLeaving(leaving) : shownEnding(victims);
    gang.entry.withheld(Optional.of(new Withheld(Reason.PREEMPTING, why, "")));
    for (var unit : victims) {
      memberFailures.endFor(unit, gang.id, now);
    }
    cluster.backfillHolds().hold();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Nothing after the first time, then half a minute, and twice as long each further time. */
  private static Duration wait(int before) {
    var wait = AFTER_GRACE.multipliedBy((1L << Math.min(before, 20)) - 1);
    return wait.compareTo(LONGEST_APART) < 0 ? wait : LONGEST_APART;
  }

  private static String shownLeaving(List<Pod> leaving) {
    long devices = leaving.stream().mapToLong(Pod::devices).sum();
    return Counted.of(devices, "device", "comes", "come")
        + " free for it: %s already".formatted(Counted.of(leaving.size(), "pod", "ends", "end"));
  }

  private static String shownEnding(List<Unit> victims) {
    long devices = victims.stream().mapToLong(Unit::devices).sum();
    long gangs = victims.stream().filter(unit -> unit.gang().isPresent()).count();
    long pods = victims.size() - gangs;
    var parts = new ArrayList<String>();
    if (gangs > 0) {
      parts.add(Counted.of(gangs, "gang"));
    }
    if (pods > 0) {
      parts.add(Counted.of(pods, "pod"));
    }
    return "%s free for it: %s %s"
        .formatted(
            Counted.of(devices, "device", "comes", "come"),
            String.join(" and ", parts),
            victims.size() == 1 ? "ends" : "end");
  }
}
