package io.muster.webhook.port;

import java.time.Duration;

/** Counts what the webhook does. Safe for concurrent use. */
public interface AdmissionMeter {

  /** Of a process that nobody reads. */
  AdmissionMeter NONE =
      new AdmissionMeter() {
        @Override
        public void answered(Outcome outcome, Duration took) {}

        @Override
        public void putBack() {}
      };

  /** How a review was answered. */
  enum Outcome {
    /** The pod is stored as it is. */
    UNCHANGED,
    /** The pod is stored with changes. */
    CHANGED,
    /** The pod is refused. */
    DENIED,
    /** The review could not be read. */
    MALFORMED,
    /** The body was too long or too slow, or others took all there is. */
    NOT_SERVED
  }

  /** Counts one review. */
  void answered(Outcome outcome, Duration took);

  /** Counts an object of the registration that somebody else had changed. */
  void putBack();
}
