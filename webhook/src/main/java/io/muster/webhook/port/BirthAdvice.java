package io.muster.webhook.port;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Birth;

/**
 * What a member gets before it is stored: a place, the gate, or nothing. Answers from memory, at
 * once; safe for concurrent use.
 */
@FunctionalInterface
public interface BirthAdvice {

  /** Advice of a process that knows nothing yet. */
  BirthAdvice NONE = pod -> new Birth.Free();

  /**
   * Saves work; nothing else depends on it. A place that is given is kept for a few seconds, so
   * this is asked once for each pod that may be stored, and not for a dry run.
   *
   * @param pod a member that is not stored yet: its uid, and where it is generated its name, are
   *     empty
   */
  Birth at(Pod pod);
}
