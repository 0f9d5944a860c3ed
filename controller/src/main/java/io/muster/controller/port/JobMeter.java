package io.muster.controller.port;

import java.time.Duration;

/** Counts what looking after training jobs takes. Must be safe for concurrent use. */
public interface JobMeter {

  /** How a reconcile of a job ended. */
  enum Outcome {
    /** It was decided what to do, a step of that was done, or somebody else wrote first. */
    DONE,
    /** The API server refuses a write, or is away: to be reconciled again. */
    AGAIN
  }

  /** A job was reconciled once, and what that brought was written. */
  void reconciled(Outcome outcome, Duration took);

  /**
   * Whether a kind is left to another controller, from now on.
   *
   * @param kind as the setting {@code jobKinds} calls it
   */
  void leftToAnother(String kind, boolean isLeft);
}
