package io.muster.extender.port;

import java.time.Duration;

/** Counts the calls of kube-scheduler. Safe for concurrent use. */
public interface RequestMeter {

  /** The verbs of the extender protocol. */
  enum Verb {
    FILTER,
    PRIORITIZE,
    PREEMPT,
    BIND
  }

  /** How a call ended. */
  enum Outcome {
    /** The pod may go on: a node, scores, victims, a binding. */
    ACCEPTED,
    /** An answer that keeps the pod waiting. */
    REFUSED,
    /** An error in the terms of the protocol; kube-scheduler tries again. */
    ERROR,
    /** The call could not be read. */
    MALFORMED,
    /** The body exceeds the limit. */
    TOO_LARGE
  }

  /** Counts one answered call. */
  void answered(Verb verb, Outcome outcome, Duration took);

  /** Notes how many nodes a call offered. */
  void offered(Verb verb, int nodes);
}
