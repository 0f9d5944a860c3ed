package io.muster.controller.port;

import java.time.Duration;

/** Counts what looking after training jobs takes. Must be safe for concurrent use. */
public interface JobMeter {

  /** How a look at a job ended. */
  enum Outcome {
    /** All was done that was due. */
    DONE,
    /** Somebody else wrote first, or a write was refused: to be looked at again. */
    AGAIN
  }

  /** A job was looked at, and what was due was written. */
  void reconciled(Outcome outcome, Duration took);

  /**
   * Whether a kind is left to another controller, from now on.
   *
   * @param kind as the setting {@code jobKinds} calls it
   */
  void leftToAnother(String kind, boolean isLeft);
}
