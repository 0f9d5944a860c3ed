package io.muster.extender.core.decision.report;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Misfit;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.dialect.GoDuration;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Finding;
import io.muster.extender.core.protocol.Reason;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;

/**
 * What users are told for a reason. Immutable.
 *
 * @param message what is so, with the figures
 * @param remedy what would change it; empty where nobody has to do anything
 */
public record Messages(String message, String remedy) {

  private static final String SEE_SCHEDULER =
      "if they stay so, kube-scheduler does not place the members: see that it runs, and what"
          + " muster doctor says";

  private static final String UNKNOWN = "unknown";
  private static final String TO_BE_REPORTED =
      "report it with the lines of muster's log that say \"a step of the decisions failed\"; pods"
          + " that are created anew are tried at once";
  private static final String MORE_ROOM = "add nodes, or wait until others end";
  private static final String NODES_TRIED_AGAIN =
      "these nodes are tried again before long; where kubectl get nodes shows nothing, mend what the"
          + " last attempt failed for";

  private static final String TRIED_AGAIN =
      "mend what the message names; the gang is tried again by itself within 5 minutes, and at once"
          + " if its pods are created anew";

  private static final String RUN_LONGER =
      "create the job anew, with a longer muster.io/run-time-limit or none if that was the limit;"
          + " have the runTimeLimit of its queue raised; or delete its Gang object to run it as it"
          + " is";

  private static Messages of(String message) {
    return new Messages(message, "");
  }

  /** What is said of the gang. */
  public static Messages of(GangState gang, Reason reason) {
    return reason == Reason.MUSTER_FAULT
        ? new Messages(gang.quarantine.sentence(), TO_BE_REPORTED)
        : of(gang, reason, gang.counts.started());
  }

  private static Messages of(GangState gang, Reason reason, int bound) {
    return switch (reason) {
      case INVALID_TERMS ->
          new Messages(
              invalid(gang),
              "correct what the message names; if that is in the pods, create them again");
      case MEMBERS_MISSING ->
          new Messages(
              AbsentMembers.message(gang, bound) + contradicted(gang), AbsentMembers.remedy(gang));
      case TERMS_MISSING ->
          new Messages(
              gang.terms.awaited().map(TermsObject::missing).orElse(UNKNOWN),
              "create it; where the cluster does not know its kind, install that first");
      case VOLUME_CLAIMS_MISSING -> lackingClaims(gang);
      case GANGS_MISSING ->
          new Messages(
              "gangs that start together with this one are missing, or name other gangs: "
                  + gang.terms.absentGangs().stream()
                      .map(GangId::toString)
                      .collect(Collectors.joining(", ")),
              "create them, with the same list of groups");
      case HELD_BY_OTHER_GATES ->
          new Messages(
              "scheduling gates of others hold members back: " + AbsentMembers.gates(gang),
              "ask those whose gates they are, or take them out of spec.schedulingGates");
      case NO_ROOM,
          TOO_LARGE,
          FRAGMENTED,
          NOT_ENOUGH_BESIDE,
          TOPOLOGY,
          NODES_UNSUITABLE,
          NODES_TAINTED ->
          new Messages(noRoomAtAll(gang), remedy(gang));
      case NODES_UNAVAILABLE ->
          new Messages(
              noRoomAtAll(gang),
              gang.setbacks.keptAwayFor().isPresent() ? NODES_TRIED_AGAIN : remedy(gang));
      case QUOTA, UNKNOWN_QUEUE, QUEUE_NOT_ALLOWED -> ofQueue(gang);
      case BEHIND_BACKFILL_RESERVATION, PREEMPTING, NVLINK_DOMAIN, POD_GROUP -> withheld(gang);
      case RUN_TIME_LIMIT -> new Messages(limitReached(gang), RUN_LONGER);
      case MUSTER_FAULT -> new Messages(gang.quarantine.sentence(), TO_BE_REPORTED);
      case HELD_OFF ->
          gang.verdict
              .text()
              .map(why ->
                  new Messages(
                      "the last attempt failed, the next one follows: " + why, TRIED_AGAIN))
              .orElseGet(() -> of("places for its members are being looked for"));
      case RESERVED -> onTheWay(gang);
      case BINDING ->
          of(Counted.of(gang.record.size(), "member", "is being bound", "are being bound"));
      case COMPLETING ->
          new Messages(
              "%d of %d members bound, completing%s"
                  .formatted(
                      bound,
                      gang.terms.minAvailable(),
                      gang.verdict.text().map(text -> ": " + text).orElse("")),
              MORE_ROOM);
      case SATISFIED ->
          of(
              "%d of at least %d members bound%s"
                  .formatted(bound, gang.terms.minAvailable(), keptForLater(gang)));
      case BELOW_MINIMUM -> belowMinimum(gang, bound);
      case LEFT_TO_OWNER ->
          new Messages(
              "%s left, fewer than %d; their owner looks after them%s"
                  .formatted(
                      Counted.of(bound, "member"), gang.terms.minAvailable(), keptForLater(gang)),
              "check the object that owns the pods");
      case RESTARTING -> restarting(gang);
      case PREEMPTED ->
          of(
              "%s to make room for %s, which comes before it"
                  .formatted(
                      end(gang.ending.count()),
                      gang.entry
                          .endedFor()
                          .map(other -> other.shownIn(gang.id.namespace()))
                          .orElse(UNKNOWN)));
      case SHADOW, OBSERVED -> of("Muster only observes");
      case FINISHED ->
          of(
              gang.members.isEmpty()
                  ? "no members are left"
                  : "all members have ended or are ending");
    };
  }

  private static Messages lackingClaims(GangState gang) {
    var pods = gang.counts.lackingClaims();
    return pods.stream()
        .findFirst()
        .flatMap(pod ->
            pod.progress()
                .absentClaim()
                .map(claim ->
                    new Messages(
                        claim.saidOf(pod.key())
                            + (pods.size() == 1 ? "" : "; members without theirs: " + pods.size()),
                        claim.remedy())))
        .orElse(of(UNKNOWN));
  }

  private static Messages withheld(GangState gang) {
    return gang.entry
        .withheld()
        .map(why -> new Messages(why.toldIn(gang.id.namespace()), why.remedy()))
        .orElse(of(UNKNOWN));
  }

  private static Messages ofQueue(GangState gang) {
    var said = withheld(gang);
    var held = Stated.legible(gang.entry.statedQueue().orElse(UNKNOWN));
    return gang.entry
        .otherQueue(() -> gang.members.live().stream())
        .map(Stated::legible)
        .map(other ->
            new Messages(
                "%s; a member names queue \"%s\", and \"%s\" holds, which was named first"
                    .formatted(said.message(), other, held),
                "%s; or delete the pods that name queue \"%s\", so that \"%s\" holds"
                    .formatted(said.remedy(), held, other)))
        .orElse(said);
  }

  /** What is said on a member that waits, in the sentences that users of Koordinator know. */
  static String onMember(GangState gang, Pod pod, Reason reason) {
    if (reason.isWantOfRoom()) {
      return "Gang \"%s\" gets rejected due to %s \"%s\""
          .formatted(gang.id, rejected(gang, pod), gang.verdict.text().orElse(UNKNOWN));
    }
    return switch (reason) {
      case QUOTA,
          UNKNOWN_QUEUE,
          QUEUE_NOT_ALLOWED,
          BEHIND_BACKFILL_RESERVATION,
          PREEMPTING,
          NVLINK_DOMAIN,
          POD_GROUP,
          RUN_TIME_LIMIT,
          RESTARTING,
          VOLUME_CLAIMS_MISSING,
          MUSTER_FAULT ->
          "Gang \"%s\" waits: %s".formatted(gang.id, of(gang, reason).message());
      case INVALID_TERMS, TERMS_MISSING ->
          "gang has not init, gangName: %s, podName: %s: %s"
              .formatted(gang.id, pod.key(), of(gang, reason).message());
      default ->
          "gang child pod not collect enough, gangName: %s, podName: %s: %s"
              .formatted(gang.id, pod.key(), of(gang, reason).message());
    };
  }

  /** Where volumes are made first that takes minutes, and may fail. */
  private static Messages onTheWay(GangState gang) {
    long awaiting =
        gang.members.live().stream().filter(pod -> pod.progress().awaitsVolumes()).count();
    var places = Counted.of(reserved(gang), "place") + " reserved";
    return awaiting == 0
        ? new Messages(places, SEE_SCHEDULER)
        : new Messages(
            places + "; members whose claims have no volume yet: " + awaiting,
            "if they stay so, see the events of the PersistentVolumeClaims");
  }

  /** Where the owner has replaced who was lost already, something else is to be done. */
  private static Messages belowMinimum(GangState gang, int bound) {
    int waiting =
        (int) gang.candidates().stream().filter(pod -> !gang.deferred.includes(pod)).count();
    return new Messages(
        "%s left, fewer than %d%s%s"
            .formatted(
                Counted.of(bound, "member"),
                gang.terms.minAvailable(),
                kept(gang.reservation.open().size()),
                waiting == 0
                    ? ""
                    : "; " + Counted.of(waiting, "member", "waits for a node", "wait for a node")),
        bound + waiting >= gang.terms.minAvailable()
            ? "see the events of the members that wait for a node"
            : AbsentMembers.areMadeByNobody(gang)
                ? "create others in place of the lost ones: no controller does"
                : "the owner of the pods must replace the lost ones");
  }

  /** Which members end is not known to a process that did not tell them to. */
  private static Messages restarting(GangState gang) {
    int first = gang.counts.endingFirst();
    return new Messages(
        gang.ending.areNone()
            ? end(first) + ", then all start again together"
            : "a member was lost; %s, all start again together"
                .formatted(Counted.of(gang.ending.count(), "other", "ends", "end")),
        first == 0
            ? ""
            : "the podReplacementPolicy of their Job has the gang wait until they have ended; if"
                + " the node of one is lost, delete the pod with --force");
  }

  private static String limitReached(GangState gang) {
    var words =
        gang.limit
            .reached()
            .map(reached ->
                "it has run for its run-time limit of %s (until %s) and is not started again"
                    .formatted(
                        GoDuration.text(reached.limit()),
                        reached.at().truncatedTo(ChronoUnit.SECONDS)))
            .orElse(UNKNOWN);
    return gang.ending.areNone() ? words : words + "; " + end(gang.ending.count());
  }

  private static String noRoomAtAll(GangState gang) {
    return noRoom(gang)
        + whyNot(gang)
        + nominated(gang)
        + backfilled(gang)
        + contradicted(gang)
        + failed(gang);
  }

  /** Nodes that it is kept away from may be what it lacks, whatever else is said of the others. */
  private static String failed(GangState gang) {
    return gang.setbacks.keptAwayFor().map(why -> "; the last attempt failed: " + why).orElse("");
  }

  private static String remedy(GangState gang) {
    return gang.verdict.finding().map(Finding::remedy).orElse(MORE_ROOM);
  }

  /** What nodes lack, and what was found out beside that; nothing twice. */
  private static String whyNot(GangState gang) {
    var tally = tally(gang);
    var lack = tally.replaceFirst("^\\d+/\\d+ nodes are available: ", "");
    return gang.verdict
        .finding()
        .map(Finding::evidence)
        .filter(found -> !tally.contains(found))
        .map(found -> found.contains(lack) ? tally.replace(lack, found) : tally + "; " + found)
        .orElse(tally);
  }

  private static String tally(GangState gang) {
    return gang.verdict.text().map(text -> text.replaceFirst("\\.$", "")).orElse(UNKNOWN);
  }

  private static String nominated(GangState gang) {
    return gang.verdict.kept().map(kept -> "; " + kept.shownIn(gang.id.namespace())).orElse("");
  }

  private static String backfilled(GangState gang) {
    return gang.entry
        .backfill()
        .map(backfill ->
            "; what comes free is kept for it: %d of %d devices%s"
                .formatted(
                    backfill.heldDevices(),
                    backfill.devices(),
                    backfill
                        .expected()
                        .map(at -> ", all by " + at.truncatedTo(ChronoUnit.SECONDS))
                        .orElse("")))
        .orElse("");
  }

  private static String noRoom(GangState gang) {
    int members = gang.counts.needed();
    return switch (gang.verdict.misfit().orElseGet(() -> new Misfit.Member(""))) {
      case Misfit.Member _ -> "no room for %s: ".formatted(Counted.together(members));
      case Misfit.Later(var asks) ->
          "no room for the pod that comes later (%s) beside %s: "
              .formatted(asks, Counted.of(members, "member"));
    };
  }

  private static String end(int members) {
    return Counted.of(members, "member", "ends", "end");
  }

  private static int reserved(GangState gang) {
    return gang.reservation.size() + gang.reservation.open().size() + gang.deferred.places.size();
  }

  private static String keptForLater(GangState gang) {
    return gang.deferred.places.isEmpty()
        ? ""
        : "; room is kept for the pod that comes later (%s)".formatted(gang.deferred.asks());
  }

  private static String kept(int places) {
    return switch (places) {
      case 0 -> "";
      case 1 -> "; 1 place is kept for a replacement";
      default -> "; %d places are kept for replacements".formatted(places);
    };
  }

  private static String contradicted(GangState gang) {
    return AbsentMembers.otherMinimum(gang)
        .map(other ->
            "; a member states a minimum of %d, and %d holds, which was stated first"
                .formatted(other, gang.terms.minAvailable()))
        .orElse("");
  }

  private static String invalid(GangState gang) {
    return gang.terms
        .problem()
        .map(Terms.Unusable::problem)
        .or(() -> gang.counts.unplaceable().map(Terms.Unplaceable::problem))
        .orElse("no member states a minimum");
  }

  private static String rejected(GangState gang, Pod pod) {
    return switch (gang.verdict.misfit().orElseGet(() -> new Misfit.Member(pod.key().name()))) {
      case Misfit.Member(var name) ->
          "member Pod \"%s\" is unschedulable with reason".formatted(name);
      case Misfit.Later(var asks) ->
          "no room for the pod that comes later (%s) with reason".formatted(asks);
    };
  }
}
