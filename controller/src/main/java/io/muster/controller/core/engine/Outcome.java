package io.muster.controller.core.engine;

import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Resize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What comes of looking at a job. The state and the resizes are stored before the first action:
 * what is done is always what somebody could read that it would be. Immutable.
 *
 * @param resizes those that have changed
 * @param news in the order in which they came about
 * @param again when to reconcile again though nothing is seen to change
 */
public record Outcome(
    JobState state,
    List<Resize> resizes,
    List<News> news,
    List<Action> actions,
    Optional<Duration> again) {

  public Outcome {
    resizes = List.copyOf(resizes);
    news = List.copyOf(news);
    actions = List.copyOf(actions);
  }
}
