package io.muster.controller.api;

import java.util.List;
import java.util.Map;

/**
 * What the engine remembers of a job, for kinds whose own status has no room for it. A wire type:
 * absent fields are null; times are RFC 3339. Immutable.
 *
 * @param phase Of the life of the job, in the engine's words.
 * @param restarts Times that the whole job was started anew.
 * @param targets Indices that there are to be, by role.
 * @param unseen Those of them that are to be made and were not seen yet.
 * @param burnt Highest index that is not given out again, by role.
 * @param passed Steps of the start that are done: the step, a colon, the role.
 * @param resizing The resize that is being carried out.
 * @param asked The size that was last asked for, by role.
 * @param owed Members that went with their nodes and are to be made elsewhere.
 * @param members What has to be known of single members, by role.
 * @param mending How losses are being made good.
 * @param replacedAt When members were recreated lately, by role.
 * @param waitsSince Since when its pods have been waited for to run together.
 * @param templates Templates of pods as they were last seen, by field; digests.
 */
@WireType
public record StoredState(
    String phase,
    Integer restarts,
    Map<String, List<Integer>> targets,
    Map<String, List<Integer>> unseen,
    Map<String, Integer> burnt,
    List<String> passed,
    String resizing,
    Map<String, Integer> asked,
    Map<String, Integer> owed,
    Map<String, StoredMembers> members,
    StoredMending mending,
    Map<String, List<String>> replacedAt,
    String waitsSince,
    Map<String, String> templates) {}
