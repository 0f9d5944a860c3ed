package io.muster.extender.port;

/** Counts faults of our own that were caught at an edge. Safe for concurrent use. */
@FunctionalInterface
public interface FaultMeter {

  /** What was being done; {@link #GANG}: something that one gang alone suffers from. */
  enum Doing {
    EVENT,
    GANG,
    FILTER,
    PRIORITIZE,
    PREEMPT,
    BIND,
    OUTLOOK,
    EFFECT
  }

  /** Counts one fault. */
  void failed(Doing doing);
}
