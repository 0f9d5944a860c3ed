package io.muster.extender.core.decision.loss;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.reserve.OpenPlaces;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Losses;
import io.muster.extender.core.decision.state.Losses.Lost;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms.MatchPolicy;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watches over gangs that have started. What a lost member means is the gang's to say:
 *
 * <ul>
 *   <li>replace: below the minimum, room is reserved for each replacement that an owner will make
 *       before any waiting gang or single pod gets it: where the member was, else anywhere. A
 *       backfill reservation ends after {@code replacement}, or with the gang's last member;
 *   <li>shrink: it goes on with fewer; below the minimum it starts again as a whole;
 *   <li>restart: it starts again as a whole;
 *   <li>owner: nothing. Members that come are placed one by one.
 * </ul>
 *
 * <p>Starting again: every member ends with notice and its owner makes it anew. A member that
 * nobody makes anew is never ended; such a gang goes on, as if it said replace. Members that have
 * succeeded are not lost.
 *
 * <p>Who comes to a gang below its minimum joins it alone if it is once satisfied. By the other
 * match policies it waits, with the gang, until the minimum is whole again: those that run count
 * for it, or by {@code only-waiting} do not. Reserved room for all that are missing is as good as
 * that.
 */
public final class MemberFailures {

  /** Whoever deletes a whole gang gets as far as its other members. */
  private static final Duration BEFORE_RESTART = Duration.ofSeconds(3);

  private final ClusterState cluster;
  private final Reservations reservations;
  private final ReplacementPlaces replacements;
  private final Singles singles;
  private final ReleasedCapacity releasedCapacity;
  private final Evictions evictions;
  private final OpenPlaces openPlaces;

  public MemberFailures(
      ClusterState cluster,
      Reservations reservations,
      ReplacementPlaces replacements,
      Singles singles,
      ReleasedCapacity releasedCapacity) {
    this.cluster = cluster;
    this.releasedCapacity = releasedCapacity;
    this.singles = singles;
    this.reservations = reservations;
    this.replacements = replacements;
    this.evictions = new Evictions(cluster);
    this.openPlaces = new OpenPlaces(cluster);
  }

  /** Notes that a member which had started is gone or has failed. */
  public void lost(GangState gang, Pod pod, Instant now) {
    var uid = pod.key().uid();
    if (!gang.satisfied() || gang.ending.include(uid) || gang.members.isFormer(uid)) {
      return;
    }
    var node = pod.progress().nodeName();
    if (pod.progress().phase() == Pod.Phase.FAILED && pod.progress().rejection().isPresent()) {
      node.ifPresent(refusing -> gang.setbacks.blame(refusing, now));
    }
    boolean isReplaced = pod.isMadeAnew() && !gang.deferred.includes(pod);
    if (gang.terms.onLoss() == OnLoss.OWNER
        || (gang.terms.onLoss() == OnLoss.REPLACE && !isReplaced)) {
      return;
    }
    gang.losses.add(new Lost(Wanted.of(gang, pod).asking(pod.shape()), node), now);
  }

  /** Does what a loss asks for; nothing for gangs that have lost nobody. */
  public void advance(GangState gang, Instant now) {
    evictions.repeat(gang, now);
    unseat(gang);
    if (isOver(gang)) {
      // A gate cannot be put back: who was released and found no node would start alone.
      var ending = mayStart(gang).filter(Pod::isMadeAnew).toList();
      startAgain(gang, ending, Optional.empty(), now);
    }
    if (gang.losses.areAny()) {
      answer(gang, now);
    }
    reassemble(gang);
    letNewcomersIn(gang, now);
  }

  private void letNewcomersIn(GangState gang, Instant now) {
    if (gang.newcomers.areNone() || (gang.satisfied() && !gang.newcomers.areSettled(now))) {
      return;
    }
    gang.newcomers.takeAll().stream()
        .flatMap(uid -> gang.members.find(uid).stream())
        .filter(pod -> gang.satisfied() && !gang.losses.isRestartDue() && gang.isCandidate(pod))
        .filter(pod -> pod.isGatedByMuster() && !seat(gang, pod, now))
        .forEach(pod -> cluster.ungate(gang, pod, Optional.empty()));
  }

  private void answer(GangState gang, Instant now) {
    if (!gang.satisfied()) {
      forget(gang);
      return;
    }
    if (!gang.members.isAnyLive()) {
      var places = gang.reservation.open();
      gang.reservation.closeAll();
      forget(gang);
      releasedCapacity.left(gang, places, now);
      return;
    }
    boolean isBelow = gang.counts.isBelow();
    if (!gang.losses.isRestartDue() && startsAgainForIt(gang)) {
      gang.losses.requireRestart();
    }
    if (gang.losses.isRestartDue()) {
      if (gang.losses.areAtLeast(BEFORE_RESTART, now)) {
        restart(gang, now);
      }
    } else if (!isBelow) {
      forget(gang);
    } else {
      reserveReplacements(gang, gang.losses.recent(cluster.deadlines().replacement(), now), now);
    }
  }

  /** A gang of which some are not made anew cannot: it goes on with who comes. */
  private boolean startsAgainForIt(GangState gang) {
    boolean isAsked =
        gang.terms.onLoss() == OnLoss.RESTART
            || (gang.terms.onLoss() == OnLoss.SHRINK && gang.counts.isBelow());
    return isAsked
        && gang.members.all().stream()
            .filter(pod -> gang.members.isLive(pod) && mayStart(gang, pod))
            .allMatch(Pod::isMadeAnew);
  }

  /** Takes the gates off members of a gang that an earlier life of Muster has started. */
  public void letIn(GangState gang, Instant now) {
    reassemble(gang);
    if (gang.satisfied() && !(gang.losses.areAny() && startsAgainForIt(gang))) {
      gang.candidates().stream()
          .filter(pod -> pod.isGatedByMuster() && !gang.newcomers.holdBack(pod, now))
          .forEach(pod -> cluster.ungate(gang, pod, Optional.empty()));
    }
  }

  /** Has a replacement take a reserved place, if it will be sent there; says whether it did. */
  public boolean seat(GangState gang, Pod pod, Instant now) {
    if (!cluster.isAsked()
        || gang.reservation.open().isEmpty()
        || !gang.isCandidate(pod)
        || gang.deferred.includes(pod)
        || gang.newcomers.include(pod.key().uid())
        || cluster.inventory().nodeOf(pod.key().uid()).isPresent()
        || replacements.take(gang, pod, now).isEmpty()) {
      return false;
    }
    reservations.letJoin(gang, pod);
    return true;
  }

  /**
   * A replacement whose seat has been taken by others, or whose node has closed, is placed like any
   * other: two that wait for the rest of each other's room would wait for ever.
   */
  private void unseat(GangState gang) {
    if (!gang.satisfied() || !cluster.isAsked()) {
      return;
    }
    for (var pod : gang.candidates()) {
      var uid = pod.key().uid();
      boolean isLost =
          cluster
              .inventory()
              .nodeOf(uid)
              .filter(node -> !cluster.inventory().keeps(node, uid, pod.demand()))
              .isPresent();
      if (isLost && !singles.isBinding(uid)) {
        cluster.release(uid);
      }
    }
  }

  /** Room is kept for as many as are missing, and were lost so lately that an owner may act yet. */
  private void reserveReplacements(GangState gang, Losses.Recent recent, Instant now) {
    if (recent.number() == 0) {
      drop(gang, 0);
      return;
    }
    for (var pod : gang.candidates()) {
      seat(gang, pod, now);
    }
    dropUnusable(gang);
    int missing = Math.min(recent.number(), gang.counts.neededBeside(seated(gang)));
    drop(gang, missing);
    for (int i = gang.reservation.open().size(); i < missing; i++) {
      var lost = recent.get(i).orElseGet(() -> likeSiblings(gang));
      if (!replacements.keep(gang, lost, now)) {
        return;
      }
    }
  }

  /** Has a gang that joins whole only wait again, once somebody is there to join it. */
  public void reassemble(GangState gang) {
    var policy = gang.terms.matchPolicy();
    if (!gang.satisfied()
        || gang.losses.isRestartDue()
        || policy == MatchPolicy.ONCE_SATISFIED
        || gang.terms.onLoss() == OnLoss.OWNER
        || !gang.counts.isBelow()
        || gang.candidates().stream().allMatch(gang.deferred::includes)
        || gang.candidates().stream().anyMatch(pod -> singles.isBinding(pod.key().uid()))) {
      return;
    }
    boolean areReserved = gang.counts.neededBeside(seated(gang)) <= gang.reservation.open().size();
    if (policy == MatchPolicy.WAITING_AND_RUNNING && areReserved) {
      return;
    }
    forget(gang);
    gang.waitAgain();
    for (var pod : gang.candidates()) {
      cluster.releaseUnbound(pod.key().uid());
      cluster.refusedSingles().remove(pod.key().uid());
      gang.refused.add(pod.key().uid());
    }
    cluster.planAgain();
  }

  private static Lost likeSiblings(GangState gang) {
    var sibling = gang.members.live().getFirst();
    return new Lost(
        new Wanted(gang.terms.neighboursOf(sibling), sibling.shape(), false, Integer.MAX_VALUE),
        Optional.empty());
  }

  private Set<String> seated(GangState gang) {
    return gang.candidates().stream()
        .map(pod -> pod.key().uid())
        .filter(uid -> cluster.inventory().nodeOf(uid).isPresent())
        .collect(Collectors.toSet());
  }

  private void drop(GangState gang, int most) {
    while (gang.reservation.open().size() > most) {
      cluster.release(gang.reservation.closeLast().holder());
    }
  }

  private void dropUnusable(GangState gang) {
    for (var open : gang.reservation.open()) {
      if (!cluster.inventory().isOpenTo(open.node(), open.demand())) {
        gang.reservation.close(open);
        cluster.release(open.holder());
      }
    }
  }

  private void forget(GangState gang) {
    if (gang.satisfied()) {
      drop(gang, 0);
    }
    gang.losses.end();
  }

  private void restart(GangState gang, Instant now) {
    if (mayStart(gang).allMatch(Pod::isMadeAnew)) {
      startAgain(gang, mayStart(gang).toList(), Optional.empty(), now);
    }
  }

  /**
   * Begins another incarnation, without these, which are told to end.
   *
   * @param other for whom they end, if for another gang
   */
  private void startAgain(GangState gang, List<Pod> ending, Optional<GangId> other, Instant now) {
    forget(gang);
    gang.entry.endedFor(other);
    gang.ending.told(now);
    ending.forEach(pod -> gang.ending.add(pod.key().uid()));
    gang.startAgain(now);
    openPlaces.dropLater(gang);
    for (var pod : gang.members.live()) {
      cluster.releaseUnbound(pod.key().uid());
      gang.refused.add(pod.key().uid());
    }
    cluster.planAgain();
    ending.forEach(pod -> evictions.evict(gang, pod));
  }

  /** Nobody is left of those that started together: whoever has come since starts together too. */
  private boolean isOver(GangState gang) {
    boolean waitsForOthers = gang.waitsAgain() && gang.phase() == Phase.WAITING;
    return ((gang.satisfied() && gang.phase() != Phase.BINDING) || waitsForOthers)
        && gang.members.isAnyLive()
        && gang.members.all().stream().noneMatch(pod -> isOut(gang, pod));
  }

  /** Whether the member has started, or may have by a Binding that is under way. */
  private boolean isOut(GangState gang, Pod pod) {
    return gang.members.hasStarted(pod) || singles.isBinding(pod.key().uid());
  }

  /** The same, or kube-scheduler may bind it at any time. */
  private boolean mayStart(GangState gang, Pod pod) {
    return isOut(gang, pod) || cluster.mayBeBound(gang, pod);
  }

  /** Those that live and have started, or may start at any time. */
  private Stream<Pod> mayStart(GangState gang) {
    return gang.members.live().stream().filter(pod -> mayStart(gang, pod));
  }

  /** Ends what runs, a gang as a whole, for another gang; who owns it makes it anew, to wait. */
  public void endFor(Unit ended, GangId other, Instant now) {
    evictions.shorten(ended.pods(), other, now);
    if (ended.isEnding()) {
      return;
    }
    if (ended.gang().isEmpty()) {
      ended.pods().forEach(pod -> evictions.evictFor(other, pod));
      return;
    }
    var gang = ended.gang().get();
    gang.entry.endEarly(ended.given(now), now);
    startAgain(gang, mayStart(gang).toList(), Optional.of(other), now);
  }

  /**
   * Ends all that run of a gang which has run for as long as it may, also those that nobody makes
   * anew: so it was stated of them. Those that are left, and those that come, wait.
   */
  public void endAtLimit(GangState gang, Instant now) {
    // Whose gate is being taken off may start, though its reservation is given up.
    var ending = mayStart(gang).toList();
    if (gang.isReserved() && !gang.satisfied()) {
      reservations.giveUp(gang, "the gang has run for its run-time limit");
    }
    gang.entry.endEarly(given(gang, ending, now), now);
    startAgain(gang, ending, Optional.empty(), now);
  }

  /** Device seconds of its present life. */
  private static long given(GangState gang, List<Pod> ended, Instant now) {
    long devices = ended.stream().mapToLong(Pod::devices).sum();
    return gang.entry
        .startedAt()
        .map(at -> Bounds.product(devices, Math.max(0, Duration.between(at, now).toSeconds())))
        .orElse(0L);
  }
}
