package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Map;

/**
 * What the engine remembers of a job, for kinds whose own status has no room for it. A wire type:
 * absent fields are null; times are RFC 3339. Immutable.
 */
@WireType
public record StoredState(
    @JsonPropertyDescription("Of the life of the job, in the engine's words.") String phase,
    @JsonPropertyDescription("Times that the whole job was started anew.") Integer restarts,
    @JsonPropertyDescription("Indices that there are to be, by role.")
        Map<String, List<Integer>> targets,
    @JsonPropertyDescription("Those of them that are to be made and were not seen yet.")
        Map<String, List<Integer>> unseen,
    @JsonPropertyDescription("Highest index that is not given out again, by role.")
        Map<String, Integer> burnt,
    @JsonPropertyDescription("Steps of the start that are done: the step, a colon, the role.")
        List<String> passed,
    @JsonPropertyDescription("The resize that is being carried out.") String resizing,
    @JsonPropertyDescription("The size that was last asked for, by role.")
        Map<String, Integer> asked,
    @JsonPropertyDescription("Members that went with their nodes and are to be made elsewhere.")
        Map<String, Integer> owed,
    @JsonPropertyDescription("What has to be known of single members, by role.")
        Map<String, StoredMembers> members,
    @JsonPropertyDescription("How losses are being made good.") StoredMending mending,
    @JsonPropertyDescription("When members were recreated lately, by role.")
        Map<String, List<String>> replacedAt,
    @JsonPropertyDescription("Since when its pods have been waited for to run together.")
        String waitsSince,
    @JsonPropertyDescription("Templates of pods as they were last seen, by field; digests.")
        Map<String, String> templates) {}
