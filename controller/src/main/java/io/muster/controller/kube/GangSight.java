package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the gang of a job stands: whether as many of its members have their places as it needs, and
 * else why not, in the words of those who place it. Immutable.
 *
 * @param isThere whether the job has a gang now
 * @param isPlaced whether enough of them have their places; those that have ended have none
 * @param code why not, in one word
 * @param reason why not, and what would change it; empty while nobody can tell
 * @param count how many have their places
 */
public record GangSight(
    boolean isThere, boolean isPlaced, String code, Optional<String> reason, String count) {

  /** Where there is no gang, or nobody of it. */
  public static final GangSight NONE = new GangSight(false, false, "", Optional.empty(), "");

  /** The condition that says whether a job's gang has its places. */
  public static final String CONDITION = "GangScheduled";

  /** What is said of a gang that waits changes without anything that is watched. */
  private static final Duration ASKED_APART = Duration.ofSeconds(15);

  private static final Duration UNTIL_TOLD = Duration.ofSeconds(2);

  /** Its pods are being made, or are on their way to their nodes. */
  private static final Set<String> UNDER_WAY =
      Set.of(Reason.MEMBERS_MISSING.code(), Reason.RESERVED.code(), Reason.BINDING.code());

  /**
   * How it stands.
   *
   * @param members all pods of the gang
   * @param least with how many it goes on
   * @param report what is said of it
   */
  public static GangSight of(List<Pod> members, int least, Optional<GangReport> report) {
    var live =
        members.stream()
            .filter(pod -> !pod.isMarkedForDeletion() && !PodEnds.hasEnded(pod))
            .toList();
    if (members.isEmpty()) {
      return NONE;
    }
    long placed = live.stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
    int needed = Math.max(1, least);
    var count =
        Counted.of(placed, "member", "has its place", "have their places")
            + ", and %d %s needed".formatted(needed, needed == 1 ? "is" : "are");
    if (placed >= needed) {
      return new GangSight(true, true, "Placed", Optional.empty(), count);
    }
    var waiting = report.filter(GangSight::tellsWhy);
    return new GangSight(
        true,
        false,
        waiting.map(said -> said.reason().code()).orElse("Waiting"),
        waiting.map(GangSight::sentence),
        count);
  }

  /** Whether it says why a gang has not its places, and not only that they are looked for. */
  private static boolean tellsWhy(GangReport report) {
    return report.phase() != Phase.RUNNING
        && report.phase() != Phase.FINISHED
        && (report.reason() != Reason.HELD_OFF || !report.remedy().isEmpty());
  }

  /** What is said there, where somebody may have to do something about it. */
  public static Optional<String> obstacle(GangReport report) {
    return Optional.of(report)
        .filter(GangSight::tellsWhy)
        .filter(said -> !UNDER_WAY.contains(said.reason().code()))
        .map(GangSight::sentence);
  }

  private static String sentence(GangReport report) {
    return report.remedy().isEmpty() ? report.message() : report.message() + "; " + report.remedy();
  }

  /** The reason, where somebody may have to do something about it. */
  public Optional<String> obstacle() {
    return reason.filter(_ -> !UNDER_WAY.contains(code));
  }

  /** When to ask again, while it waits. */
  public Optional<Duration> again() {
    return !isThere || isPlaced
        ? Optional.empty()
        : Optional.of(reason.isPresent() ? ASKED_APART : UNTIL_TOLD);
  }

  /** Says it beside the phase, which says nothing of that. */
  public void note(Conditions conditions) {
    if (isPlaced) {
      conditions.holds(CONDITION, "Placed", "its gang has its places");
    } else if (reason.isPresent()) {
      conditions.lacks(CONDITION, code, reason.get());
    } else if (Conditions.find(conditions.list(), CONDITION).isPresent()) {
      conditions.lacks(CONDITION, code, count);
    }
  }
}
