package io.muster.extender.core.decision.report;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Gangs;
import io.muster.extender.core.decision.state.LastTold;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Finding;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Tells users why a gang is where it is: the Gang's report, and a sentence on its members. A text
 * is told again only when it has changed, to a gang's members at most every 30 s, and where the
 * figures alone have changed at most every ten.
 */
public final class Reporter {

  private static final int MEMBERS_TOLD = 16;
  private static final Duration TOLD_APART = Duration.ofSeconds(30);
  private static final Duration WORDS_APART = Duration.ofSeconds(10);

  /** Members are made one after the other, and most gangs go soon; who stays is worth a word. */
  private static final Duration ASSEMBLY_GRACE = Duration.ofSeconds(5);

  /** Members with places arrive within moments; each write costs the gangs behind them time. */
  private static final Duration WAY_GRACE = Duration.ofSeconds(2);

  /** Two writes each; where hundreds of gangs wait, words must not slow down those that go. */
  private static final int TOLD_A_TICK = 20;

  private final ClusterState cluster;
  private int toBeTold = TOLD_A_TICK;
  private boolean isBehind;

  public Reporter(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Another half second has begun, in which so many members may be told, first the untold. */
  public void beginTick() {
    isBehind = toBeTold == 0;
    toBeTold = TOLD_A_TICK;
  }

  /** Tells what is due; says whether nothing is left to be told until something changes. */
  public boolean advance(GangState gang, Instant now) {
    boolean isToldOtherwise = gang.recovery.wasStored() && gang.phase() != Phase.FINISHED;
    if (gang.members.isEmpty() && gang.told.isNothing() && !isToldOtherwise) {
      return true;
    }
    boolean areMembersTold = hideAll(gang);
    areMembersTold &= tellMembers(gang, now);
    areMembersTold &= showRest(gang, now);
    if (gang.record.isPending()
        || isAssembling(gang, now)
        || isBarelyWaiting(gang, now)
        || isOnItsWay(gang, now)) {
      return false;
    }
    updatePhase(gang);
    boolean isStored = store(gang, now);
    var report = report(gang, gang.id);
    if (gang.phase() == Phase.BROKEN && gang.told.announce(report.reason().code())) {
      cluster.emit(new Effect.Announce(gang.id, true, report.reason().code(), report.message()));
    }
    return isStored && areMembersTold;
  }

  /**
   * What the Gang objects say, and nothing that would have to be worked out first. False if some of
   * it is put off.
   */
  public boolean store(GangState gang, Instant now) {
    boolean isAll = true;
    for (var id : gang.terms.named()) {
      var told = new LastTold.Told(gang.toRecord(id), report(gang, id));
      var before = gang.told.of(id);
      boolean mayWait =
          gang.told.wasReportedWithin(WORDS_APART, now)
              && before.filter(last -> differsInWordsAlone(last, told)).isPresent();
      isAll &= !mayWait || before.filter(told::equals).isPresent();
      if (!mayWait && before.filter(told::equals).isEmpty()) {
        gang.told.report(id, told, now);
        cluster.emit(new Effect.WriteReport(told.record(), told.report()));
      }
    }
    return isAll;
  }

  /**
   * Where the cluster is busy the figures of a waiting gang change with every step. Positions are
   * counted seldom, and written at once: no two gangs are to have the same for long.
   */
  private static boolean differsInWordsAlone(LastTold.Told before, LastTold.Told now) {
    return now.report().phase() == Phase.WAITING
        && before.report().reason() == now.report().reason()
        && before.report().bound() == now.report().bound()
        && before.report().position().equals(now.report().position())
        && before.report().expectedStart().equals(now.report().expectedStart())
        && before.record().equals(now.record());
  }

  private static boolean isAssembling(GangState gang, Instant now) {
    return gang.told.isNothing()
        && gang.isWaiting()
        && (!gang.terms.stating().isEmpty() || gang.terms.awaited().isPresent())
        && !gang.counts.isComplete()
        && now.isBefore(gang.arrivals.latest().plus(ASSEMBLY_GRACE));
  }

  /** Most gangs that wait go soon: the first word about one that is complete comes after that. */
  private static boolean isBarelyWaiting(GangState gang, Instant now) {
    return gang.told.isNothing()
        && gang.isWaiting()
        && gang.counts.isComplete()
        && now.isBefore(gang.arrivals.latest().plus(WAY_GRACE));
  }

  private static boolean isOnItsWay(GangState gang, Instant now) {
    return gang.phase() == Phase.PLANNED && gang.reservation.isYoungerThan(WAY_GRACE, now);
  }

  private static void updatePhase(GangState gang) {
    boolean over =
        !gang.members.isAnyLive() && !gang.burst.isBeingUndone() && gang.ending.areNone();
    if (over && !gang.isReserved() && gang.phase() != Phase.BINDING) {
      gang.enter(Phase.FINISHED);
    } else if (gang.satisfied()) {
      boolean isLeftToOwner = gang.terms.onLoss() == Terms.OnLoss.OWNER;
      gang.enter(gang.counts.isBelow() && !isLeftToOwner ? Phase.BROKEN : Phase.RUNNING);
    } else if (gang.phase() == Phase.FINISHED) {
      // A replacement of a failed sibling of members that have succeeded.
      gang.enter(Phase.WAITING);
    }
  }

  /** The report of one gang of a group; the reason is that of all. */
  public static GangReport report(GangState gang, GangId id) {
    var members = gang.membersOf(id);
    var reason = reason(gang);
    var words = Messages.of(gang, reason);
    return new GangReport(
        gang.phase(),
        (int) members.stream().filter(pod -> !pod.progress().deleting()).count(),
        (int) members.stream().filter(gang.members::hasStarted).count(),
        Gangs.waits(gang) ? gang.entry.position() : Optional.empty(),
        Gangs.waits(gang) ? gang.entry.expectedStart() : Optional.empty(),
        reason,
        words.message(),
        words.remedy());
  }

  private static Reason reason(GangState gang) {
    if (gang.quarantine.holds()) {
      return Reason.MUSTER_FAULT;
    }
    if (!gang.ending.areNone() && gang.limit.isReached()) {
      return Reason.RUN_TIME_LIMIT;
    }
    if (areMissed(gang)) {
      return gang.entry.endedFor().isPresent() ? Reason.PREEMPTED : Reason.RESTARTING;
    }
    return switch (gang.phase()) {
      case FINISHED -> Reason.FINISHED;
      case RUNNING ->
          gang.satisfied() && gang.counts.isFewerThanAtStart()
              ? Reason.LEFT_TO_OWNER
              : Reason.SATISFIED;
      case PLANNED -> Reason.RESERVED;
      case BINDING -> gang.burst.isToBeRepaired() ? Reason.COMPLETING : Reason.BINDING;
      case BROKEN -> gang.satisfied() ? Reason.BELOW_MINIMUM : Reason.COMPLETING;
      case WAITING -> waitingReason(gang);
    };
  }

  /** Whether members end, and others are not in their place already, or on the way there. */
  private static boolean areMissed(GangState gang) {
    return !gang.ending.areNone()
        && switch (gang.phase()) {
          case RUNNING -> gang.counts.isFewerThanAtStart();
          case PLANNED, BINDING -> false;
          case WAITING, BROKEN, FINISHED -> true;
        };
  }

  public static Reason waitingReason(GangState gang) {
    if (gang.quarantine.holds()) {
      return Reason.MUSTER_FAULT;
    }
    if (gang.limit.isReached()) {
      return Reason.RUN_TIME_LIMIT;
    }
    if (gang.terms.awaited().isPresent()) {
      return Reason.TERMS_MISSING;
    }
    if (gang.terms.stating().isEmpty()) {
      return Reason.INVALID_TERMS;
    }
    if (gang.terms.quorum().isEmpty()) {
      return Reason.GANGS_MISSING;
    }
    if (!gang.counts.isComplete() && gang.counts.unplaceable().isPresent()) {
      return Reason.INVALID_TERMS;
    }
    if (!gang.counts.isComplete() && !gang.counts.lackingClaims().isEmpty()) {
      return Reason.VOLUME_CLAIMS_MISSING;
    }
    if (gang.counts.endingFirst() > 0 && gang.counts.chosen().size() >= gang.counts.needed()) {
      return Reason.RESTARTING;
    }
    if (!gang.counts.isComplete()) {
      boolean heldElsewhere =
          gang.members.live().stream().anyMatch(Pod::isGatedByOthers)
              && gang.members.live().stream().filter(p -> !p.isBound()).count()
                  >= gang.counts.needed();
      return heldElsewhere ? Reason.HELD_BY_OTHER_GATES : Reason.MEMBERS_MISSING;
    }
    if (gang.entry.withheld().isPresent()) {
      return gang.entry.withheld().get().reason();
    }
    if (gang.verdict.misfit().isEmpty()) {
      return Reason.HELD_OFF;
    }
    return gang.verdict.finding().map(Finding::cause).map(Reason::of).orElse(Reason.NO_ROOM);
  }

  private boolean tellMembers(GangState gang, Instant now) {
    if (!gang.isWaiting()) {
      gang.told.forgetMembers();
      return true;
    }
    var reason = waitingReason(gang);
    if (gang.told.wasMemberToldWithin(TOLD_APART, now)
        && gang.told.membersTold() > 0
        && gang.told.membersTold() >= Math.min(MEMBERS_TOLD, gang.members.live().size())) {
      return gang.members.live().stream()
          .filter(pod -> gang.told.ofMember(pod.key().uid()).isPresent())
          .allMatch(pod -> isTold(gang, pod, Messages.onMember(gang, pod, reason)));
    }
    if (reason == Reason.HELD_OFF || reason == Reason.HELD_BY_OTHER_GATES) {
      return true;
    }
    boolean isNew = now.isBefore(gang.arrivals.latest().plus(ASSEMBLY_GRACE));
    if (toBeTold == 0 || (reason != Reason.INVALID_TERMS && isNew)) {
      return false;
    }
    boolean areAllTold = true;
    for (var pod :
        gang.members.live().stream().filter(pod -> !pod.isBound()).limit(MEMBERS_TOLD).toList()) {
      areAllTold &= tell(gang, pod, Messages.onMember(gang, pod, reason), reason, now);
    }
    return areAllTold;
  }

  /** Autoscalers add as many nodes as pods are seen to want: all are shown, once, no events. */
  private boolean showRest(GangState gang, Instant now) {
    boolean areAllShown = gang.told.shown().size() >= gang.members.size();
    if (areAllShown || !gang.isWaiting()) {
      return true;
    }
    var reason = waitingReason(gang);
    if (reason != Reason.TOO_LARGE && reason != Reason.NODES_UNAVAILABLE) {
      return true;
    }
    if (now.isBefore(gang.arrivals.latest().plus(ASSEMBLY_GRACE))) {
      return false;
    }
    for (var pod :
        gang.members.live().stream().filter(each -> !each.isBound()).skip(MEMBERS_TOLD).toList()) {
      if (toBeTold > 0 && pod.isGatedByMuster() && gang.told.show(pod.key().uid())) {
        toBeTold--;
        cluster.emit(new Effect.Show(pod.key(), Messages.onMember(gang, pod, reason), true));
      }
    }
    return toBeTold > 0;
  }

  /** Autoscalers are to add no nodes for a gang that those would not help any more. */
  private boolean hideAll(GangState gang) {
    if (gang.told.shown().isEmpty() || !gang.isWaiting()) {
      return true;
    }
    var reason = waitingReason(gang);
    if (reason.isHelpedByNodes()) {
      return true;
    }
    boolean areAllHidden = true;
    for (var pod : gang.members.live()) {
      if (gang.told.shown().contains(pod.key().uid())) {
        areAllHidden &= toBeTold > 0;
        hide(gang, pod, reason);
      }
    }
    return areAllHidden;
  }

  private void hide(GangState gang, Pod pod, Reason reason) {
    if (toBeTold > 0) {
      toBeTold--;
      gang.told.hide(pod.key().uid());
      if (pod.isGatedByMuster()) {
        cluster.emit(new Effect.Show(pod.key(), Messages.onMember(gang, pod, reason), false));
      }
    }
  }

  private static boolean isTold(GangState gang, Pod pod, String sentence) {
    return gang.told.ofMember(pod.key().uid()).filter(sentence::equals).isPresent();
  }

  /** False if it has to wait until others have been told. */
  private boolean tell(GangState gang, Pod pod, String sentence, Reason reason, Instant now) {
    if (isTold(gang, pod, sentence)) {
      return true;
    }
    if (toBeTold == 0 || (isBehind && gang.told.ofMember(pod.key().uid()).isPresent())) {
      return false;
    }
    toBeTold--;
    gang.told.tellMember(pod.key().uid(), sentence, now);
    boolean forWantOfRoom = reason.isWantOfRoom() && pod.isGatedByMuster();
    if (forWantOfRoom) {
      gang.told.show(pod.key().uid());
    }
    cluster.emit(new Effect.Explain(pod.key(), sentence, forWantOfRoom));
    return true;
  }
}
