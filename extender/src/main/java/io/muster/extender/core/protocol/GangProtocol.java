package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import java.time.Instant;
import java.util.List;

/** The flow of a gang. Confined to one thread at a time: callers hold one lock. */
public final class GangProtocol {

  private final Deadlines deadlines;

  public GangProtocol(Deadlines deadlines) {
    this.deadlines = deadlines;
  }

  /** Takes an event in; the effects are to be carried out in order. */
  public List<Effect> on(Event event, Instant now) {
    return List.of();
  }

  /** Answers filter. The pod is the one in the call; repeating the call changes nothing. */
  public Decision filter(Pod pod, List<String> offered, Instant now) {
    return new Decision(new Answer.Accept(offered, ""), List.of());
  }

  /** Ranks nodes for a pod that has no place of its own. */
  public Answer.Scores prioritize(Pod pod, List<String> offered) {
    return new Answer.Scores(java.util.Map.of());
  }

  /** Takes a bind call; its answer is among these effects or among those of a later event. */
  public List<Effect> bind(BindCall call, Instant now) {
    return List.of(new Effect.AnswerBind(call.id(), java.util.Optional.of("not ready")));
  }

  /** Whether a preemption for this pod may go on: never for a member of a gang. */
  public boolean mayPreempt(Pod pod) {
    return pod.membership().isEmpty();
  }

  /** Whether a member about to be stored had better be gated; a hint, never state. */
  public boolean mustWait(Pod pod, Instant now) {
    return false;
  }

  /** An answer and what goes with it. */
  public record Decision(Answer answer, List<Effect> effects) {}

  Deadlines deadlines() {
    return deadlines;
  }
}
