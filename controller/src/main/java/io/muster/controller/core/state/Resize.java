package io.muster.controller.core.state;

import io.muster.controller.core.job.ResizeRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A request and how far it has come; both are stored. Immutable.
 *
 * @param plan names of the members that go or come; settled once
 * @param startedAt when its turn came
 * @param endedAt when it succeeded or failed
 */
public record Resize(
    ResizeRequest request,
    Stage stage,
    List<String> plan,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt) {

  /** How far a request has come. */
  public enum Stage {
    /** Not noticed yet. */
    NEW,
    /** Waits for its context. */
    WAITING,
    /** Its context has come. */
    SCALING,
    /** The job has been told of the new members, or the script has run. */
    TOLD,
    SUCCEEDED,
    FAILED;

    public boolean isEnd() {
      return this == SUCCEEDED || this == FAILED;
    }
  }

  public Resize {
    plan = List.copyOf(plan);
  }

  public Resize at(Stage next) {
    return new Resize(request, next, plan, startedAt, endedAt);
  }

  public Resize ended(Stage end, Instant now) {
    return new Resize(request, end, plan, startedAt, Optional.of(now));
  }

  /** As if its context had never come. */
  public Resize postponed() {
    return new Resize(request, Stage.WAITING, List.of(), Optional.empty(), Optional.empty());
  }

  public Resize begun(List<String> settled, Instant now) {
    return new Resize(request, Stage.SCALING, settled, Optional.of(now), Optional.empty());
  }
}
