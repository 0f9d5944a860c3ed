package io.muster.controller.core.state;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What can be seen of a job. Immutable.
 *
 * @param told the members that the job is known to know; empty: not known
 * @param attached which members the job has to do with; who is missing here was not found out
 * @param probedAt when that was found out
 * @param scripts how the scripts of resizes have ended
 * @param refusals of pods by the apiserver, while they are not tried again: one of a pod that is
 *     made for a request, one of another
 * @param leaving members that will go soon with their nodes, and the moment by which they shall
 *     have left
 */
public record Observed(
    List<Member> members,
    Optional<List<String>> told,
    Map<String, Boolean> attached,
    Optional<Instant> probedAt,
    Map<String, ScriptEnd> scripts,
    List<Refusal> refusals,
    Map<String, Instant> leaving) {

  /** The same, where scripts are run and who is told is known otherwise. */
  public Observed with(Optional<List<String>> toldNow, Map<String, ScriptEnd> ends) {
    return new Observed(members, toldNow, attached, probedAt, ends, refusals, leaving);
  }

  /** How a script has ended; a fault in one sentence, empty if it went well. */
  public record ScriptEnd(int tries, Optional<String> fault) {}

  /** The apiserver has refused a pod; nobody is to try again before that moment. */
  public record Refusal(String pod, String message, Instant until) {}

  public Observed {
    members = List.copyOf(members);
    refusals = List.copyOf(refusals);
    attached = Map.copyOf(attached);
    scripts = Map.copyOf(scripts);
    leaving = Map.copyOf(leaving);
  }
}
