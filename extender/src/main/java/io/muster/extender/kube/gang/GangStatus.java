package io.muster.extender.kube.gang;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Map;

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
    @JsonPropertyDescription("Stable code of the one dominant reason.") String reason,
    @JsonPropertyDescription("The reason as one sentence.") String message,
    @JsonPropertyDescription("What would change it; absent if nothing is to be done.")
        String remedy,
    @JsonPropertyDescription("Node name to the members placed there.")
        Map<String, List<Member>> placement,
    @JsonPropertyDescription("Controller of the members of this incarnation.") String controllerUid,
    @JsonPropertyDescription("When the phase last changed, RFC 3339.") String lastTransitionTime) {

  /** A placed member. A wire type. Immutable. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Member(String name, String uid) {}

  /** The same state, whenever it was reached. */
  boolean saysTheSameAs(GangStatus other) {
    return withTransition(null).equals(other.withTransition(null));
  }

  /** The same state, its phase reached at that time. */
  GangStatus withTransition(String time) {
    return new GangStatus(
        phase,
        incarnation,
        epoch,
        satisfied,
        members,
        bound,
        position,
        reason,
        message,
        remedy,
        placement,
        controllerUid,
        time);
  }
}
