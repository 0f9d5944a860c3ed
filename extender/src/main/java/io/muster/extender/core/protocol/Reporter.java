package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Tells users why a gang is where it is: the Gang's report, and a sentence on its members. A text
 * is told again only when it has changed, and to a gang's members at most every ten seconds.
 */
final class Reporter {

  private static final int MEMBERS_TOLD = 16;
  private static final Duration TOLD_APART = Duration.ofSeconds(10);

  /** Members are made one after the other; only a gang that stays incomplete is worth a word. */
  private static final Duration ASSEMBLY_GRACE = Duration.ofSeconds(5);

  /** Members with places arrive within moments; each write costs the gangs behind them time. */
  private static final Duration WAY_GRACE = Duration.ofSeconds(2);

  private final World world;

  Reporter(World world) {
    this.world = world;
  }

  void advance(GangState gang, Instant now) {
    if (gang.members.isEmpty() && gang.writtenReport.isEmpty()) {
      return;
    }
    tellMembers(gang, now);
    if (gang.recordPending || isAssembling(gang, now) || isOnItsWay(gang, now)) {
      return;
    }
    updatePhase(gang);
    var report = report(gang);
    var record = gang.toRecord();
    if (!gang.writtenReport.equals(Optional.of(report))
        || !gang.writtenRecord.equals(Optional.of(record))) {
      gang.writtenReport = Optional.of(report);
      gang.writtenRecord = Optional.of(record);
      world.emit(new Effect.WriteReport(record, report));
    }
    if (gang.phase == Phase.BROKEN && !gang.announced.equals(Optional.of(report.reason().code()))) {
      gang.announced = Optional.of(report.reason().code());
      world.emit(new Effect.Announce(gang.id, true, report.reason().code(), report.message()));
    }
  }

  private static boolean isAssembling(GangState gang, Instant now) {
    return gang.writtenReport.isEmpty()
        && gang.isWaiting()
        && gang.terms.isPresent()
        && gang.candidates().size() < gang.needed()
        && now.isBefore(gang.lastMemberAt.plus(ASSEMBLY_GRACE));
  }

  private static boolean isOnItsWay(GangState gang, Instant now) {
    return gang.phase == Phase.PLANNED && now.isBefore(gang.reservedAt.plus(WAY_GRACE));
  }

  private static void updatePhase(GangState gang) {
    boolean over = !gang.hasLiveMember() && !gang.undoing;
    if (over && !gang.isReserved() && gang.phase != Phase.BINDING) {
      gang.phase = Phase.FINISHED;
    } else if (gang.satisfied) {
      gang.phase = gang.bound() >= gang.minAvailable() ? Phase.RUNNING : Phase.BROKEN;
    }
  }

  static GangReport report(GangState gang) {
    int members =
        (int) gang.members.values().stream().filter(p -> !p.progress().deleting()).count();
    int bound = gang.bound();
    var reason = reason(gang);
    return new GangReport(
        gang.phase, members, bound, reason, message(gang, reason, bound), remedy(reason));
  }

  private static Reason reason(GangState gang) {
    return switch (gang.phase) {
      case FINISHED -> Reason.FINISHED;
      case RUNNING -> Reason.SATISFIED;
      case PLANNED -> Reason.RESERVED;
      case BINDING -> gang.repairSince.isPresent() ? Reason.COMPLETING : Reason.BINDING;
      case BROKEN -> gang.satisfied ? Reason.BELOW_MINIMUM : Reason.COMPLETING;
      case WAITING -> waitingReason(gang);
    };
  }

  private static Reason waitingReason(GangState gang) {
    if (gang.terms.isEmpty() || WaitingLine.namesOtherGangs(gang)) {
      return Reason.INVALID_TERMS;
    }
    int here = gang.candidates().size();
    if (here < gang.needed() && gang.unplaceable().isPresent()) {
      return Reason.INVALID_TERMS;
    }
    if (here < gang.needed()) {
      boolean heldElsewhere =
          gang.live().stream().filter(p -> !p.isBound()).count() >= gang.needed();
      return heldElsewhere ? Reason.HELD_BY_OTHER_GATES : Reason.MEMBERS_MISSING;
    }
    return gang.trigger.isPresent() ? Reason.NO_ROOM : Reason.HELD_OFF;
  }

  private static String message(GangState gang, Reason reason, int bound) {
    return switch (reason) {
      case INVALID_TERMS -> invalid(gang);
      case MEMBERS_MISSING ->
          "%d of %d members exist".formatted(gang.candidates().size() + bound, gang.minAvailable());
      case HELD_BY_OTHER_GATES -> "members are held back by scheduling gates of others";
      case NO_ROOM ->
          "no room for %d members together: %s"
              .formatted(gang.needed(), gang.verdict.orElse("unknown"));
      case HELD_OFF ->
          "the last attempt failed, the next one follows: " + gang.verdict.orElse("unknown");
      case RESERVED -> "%d places reserved".formatted(gang.places.size() + gang.openPlaces.size());
      case BINDING -> "%d members are being bound".formatted(gang.record.size());
      case COMPLETING ->
          "%d of %d members bound, completing%s"
              .formatted(
                  bound, gang.minAvailable(), gang.verdict.map(text -> ": " + text).orElse(""));
      case SATISFIED -> "%d of at least %d members bound".formatted(bound, gang.minAvailable());
      case BELOW_MINIMUM -> "%d members left, fewer than %d".formatted(bound, gang.minAvailable());
      case FINISHED ->
          gang.members.isEmpty() ? "no members are left" : "all members have ended or are ending";
    };
  }

  private static String remedy(Reason reason) {
    return switch (reason) {
      case INVALID_TERMS -> "mend what is named there and create the pods again";
      case MEMBERS_MISSING -> "look at the owner of the pods: why does it not create more?";
      case HELD_BY_OTHER_GATES -> "look at spec.schedulingGates of the pods";
      case NO_ROOM, COMPLETING -> "add nodes, or wait until others end";
      case BELOW_MINIMUM -> "the owner of the pods must replace the lost ones";
      case HELD_OFF, RESERVED, BINDING, SATISFIED, FINISHED -> "";
    };
  }

  private static String invalid(GangState gang) {
    if (WaitingLine.namesOtherGangs(gang)) {
      return "gang groups are not supported: name this gang alone in groups";
    }
    return gang.problem
        .filter(_ -> gang.terms.isEmpty())
        .map(Terms.Unusable::problem)
        .or(() -> gang.unplaceable().map(Terms.Unplaceable::problem))
        .orElse("no member states a minimum");
  }

  private void tellMembers(GangState gang, Instant now) {
    if (now.isBefore(gang.toldAt.plus(TOLD_APART))
        && !gang.toldMembers.isEmpty()
        && gang.toldMembers.size() >= Math.min(MEMBERS_TOLD, gang.live().size())) {
      return;
    }
    if (!gang.isWaiting()) {
      gang.toldMembers.clear();
      return;
    }
    var reason = waitingReason(gang);
    boolean incomplete = reason == Reason.MEMBERS_MISSING;
    if (reason == Reason.HELD_OFF
        || reason == Reason.HELD_BY_OTHER_GATES
        || (incomplete && now.isBefore(gang.lastMemberAt.plus(ASSEMBLY_GRACE)))) {
      return;
    }
    gang.live().stream()
        .filter(pod -> !pod.isBound())
        .limit(MEMBERS_TOLD)
        .forEach(pod -> tell(gang, pod, sentence(gang, pod, reason), reason, now));
  }

  private void tell(GangState gang, Pod pod, String sentence, Reason reason, Instant now) {
    var before = Optional.ofNullable(gang.toldMembers.put(pod.key().uid(), sentence));
    if (before.filter(sentence::equals).isEmpty()) {
      gang.toldAt = now;
      boolean forWantOfRoom = reason == Reason.NO_ROOM && pod.isGatedByMuster();
      world.emit(new Effect.Explain(pod.key(), sentence, forWantOfRoom));
    }
  }

  /** The sentences that users of Koordinator know. */
  private static String sentence(GangState gang, Pod pod, Reason reason) {
    return switch (reason) {
      case NO_ROOM ->
          "Gang \"%s\" gets rejected due to member Pod \"%s\" is unschedulable with reason \"%s\""
              .formatted(
                  gang.id, gang.trigger.orElse(pod.key().name()), gang.verdict.orElse("unknown"));
      case INVALID_TERMS ->
          "gang has not init, gangName: %s, podName: %s: %s"
              .formatted(gang.id, pod.key(), invalid(gang));
      default ->
          "gang child pod not collect enough, gangName: %s, podName: %s"
              .formatted(gang.id, pod.key());
    };
  }
}
