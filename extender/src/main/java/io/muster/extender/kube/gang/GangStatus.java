package io.muster.extender.kube.gang;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.extender.core.protocol.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * How far a gang has come, and why no further. Written by Muster only. A wire type: what is absent
 * is null. Immutable.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record GangStatus(
    @JsonPropertyDescription("Waiting, Planned, Binding, Running, Broken or Finished.")
        String phase,
    @JsonPropertyDescription("Counts the lives of the gang under its name, from 1.")
        Long incarnation,
    @JsonPropertyDescription("Grows with each record; names a burst of bindings.") Long epoch,
    @JsonPropertyDescription("Whether minAvailable members of this incarnation were once bound.")
        Boolean satisfied,
    @JsonPropertyDescription("Live members seen.") Integer members,
    @JsonPropertyDescription("Members on a node, those that have succeeded included.")
        Integer bound,
    @JsonPropertyDescription(
            "Its number among all gangs that wait with enough members, from 1: as it was last"
                + " counted. Absent otherwise.")
        Integer position,
    @JsonPropertyDescription(
            "When it will probably start. Absent while nobody knows: something runs before it that"
                + " states no run time.")
        Expected expectedStart,
    @JsonPropertyDescription("Stable code of the one dominant reason.") String reason,
    @JsonPropertyDescription("The reason as one sentence.") String message,
    @JsonPropertyDescription("What would change it; absent if nothing is to be done.")
        String remedy,
    @JsonPropertyDescription("Node name to the members placed there.")
        Map<String, List<Member>> placement,
    @JsonPropertyDescription("Controller of the members of this incarnation.") String controllerUid,
    @JsonPropertyDescription(
            "That it has run for its run-time limit: it is not started again before that limit is"
                + " raised, its pods have another controller, or this object is deleted. Absent"
                + " otherwise.")
        LimitReached runTimeLimitReached,
    @JsonPropertyDescription(
            "That members of an earlier incarnation are to end, so that the gang starts again."
                + " Absent otherwise.")
        Boolean ending,
    @JsonPropertyDescription("When the phase last changed, RFC 3339.") String lastTransitionTime,
    @JsonPropertyDescription(
            "The last 20 changes of phase, and preemptions and restarts, the oldest first.")
        List<Milestone> milestones) {

  static final int MOST_MILESTONES = 20;
  private static final int LONGEST_MESSAGE = 256;

  /** Reasons that are a milestone though the phase stays. */
  private static final Set<String> NOTED =
      Set.of(
          Reason.PREEMPTED.code(),
          Reason.RESTARTING.code(),
          Reason.RUN_TIME_LIMIT.code(),
          Reason.BELOW_MINIMUM.code());

  /** A gang has come to that phase, for that reason. A wire type. Immutable. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Milestone(
      @JsonPropertyDescription("When it was noted, RFC 3339.") String time,
      String phase,
      String reason,
      String message) {}

  /** When a gang will probably start, times in RFC 3339. A wire type. Immutable. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Expected(
      @JsonPropertyDescription(
              "The median: if nobody else comes, and all run as long as is known of them.")
          String p50,
      @JsonPropertyDescription(
              "By when nine of ten gangs have started of which that was expected. Absent until"
                  + " enough have.")
          String p90,
      @JsonPropertyDescription("What has to end first; absent if nothing has to.") String after) {}

  /** A run-time limit was reached. A wire type. Immutable. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record LimitReached(
      @JsonPropertyDescription("When, RFC 3339.") String at,
      @JsonPropertyDescription("The limit that was reached, like 4h.") String limit,
      @JsonPropertyDescription("Controllers of the members that ran.")
          List<String> controllerUids) {}

  /** A placed member. A wire type. Immutable. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Member(String name, String uid) {}

  /** The same state, whenever and however it was reached. */
  boolean saysTheSameAs(GangStatus other) {
    return reached(null, null).equals(other.reached(null, null));
  }

  /** The same state, which follows that stored one at that time. */
  GangStatus after(Optional<GangStatus> stored, String now) {
    var same = stored.filter(before -> Objects.equals(before.phase, phase));
    var isNoted =
        same.isEmpty() || (NOTED.contains(reason) && !Objects.equals(same.get().reason, reason));
    var past = stored.map(before -> before.milestones).orElse(null);
    return reached(
        same.map(GangStatus::lastTransitionTime).orElse(now),
        isNoted ? followedBy(past, now) : past);
  }

  private List<Milestone> followedBy(List<Milestone> past, String now) {
    var all = new ArrayList<>(Objects.requireNonNullElse(past, List.<Milestone>of()));
    var words = Objects.requireNonNullElse(message, "");
    var most = Math.min(words.length(), LONGEST_MESSAGE);
    all.add(new Milestone(now, phase, reason, words.substring(0, most)));
    return List.copyOf(all.subList(Math.max(0, all.size() - MOST_MILESTONES), all.size()));
  }

  /** The same state, its phase reached at that time, with what went before. */
  GangStatus reached(String time, List<Milestone> past) {
    return new GangStatus(
        phase,
        incarnation,
        epoch,
        satisfied,
        members,
        bound,
        position,
        expectedStart,
        reason,
        message,
        remedy,
        placement,
        controllerUid,
        runTimeLimitReached,
        ending,
        time,
        past);
  }
}
