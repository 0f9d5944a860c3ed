package io.muster.controller.kube;

import io.muster.controller.port.StartAdvice;
import io.muster.controller.port.StartAdvice.Batch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Says of a job that is held back whether it would start, by a condition that goes when it is let
 * go. Of any kind: what the job would make is all there is to know. Safe for concurrent use.
 */
public final class WouldStart {

  /** A job of which it is said is reconciled again after so long: capacity comes and goes. */
  public static final Duration SAID_APART = Duration.ofSeconds(5);

  private static final String TYPE = "WouldStart";

  private final StartAdvice advice;

  public WouldStart(StartAdvice advice) {
    this.advice = advice;
  }

  /**
   * Writes the condition, or takes it away; while nobody can tell, it stays as it is.
   *
   * @param heldBack what the job would make; empty if it is not held back
   */
  public void tell(Conditions conditions, Optional<Supplier<List<Batch>>> heldBack) {
    if (heldBack.isEmpty()) {
      conditions.forget(Set.of(TYPE));
      return;
    }
    advice
        .ifMade(heldBack.get().get())
        .ifPresent(prospect ->
            conditions.states(TYPE, prospect.starts(), prospect.reason(), prospect.sentence()));
  }
}
