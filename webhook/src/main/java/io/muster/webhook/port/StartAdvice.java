package io.muster.webhook.port;

import io.muster.extender.core.cluster.Pod;

/** Whether a member may start now. Answers from memory, at once; safe for concurrent use. */
@FunctionalInterface
public interface StartAdvice {

  /** Advice of a process that knows nothing yet: nobody needs to wait. */
  StartAdvice NONE = pod -> false;

  /**
   * Whether the pod's gang cannot start now, so that its members better wait behind the gate. The
   * answer saves retries; nothing else depends on it. False where it is not known.
   *
   * @param pod a member that is not stored yet: its uid, and where it is generated its name, are
   *     empty
   */
  boolean mustWait(Pod pod);
}
