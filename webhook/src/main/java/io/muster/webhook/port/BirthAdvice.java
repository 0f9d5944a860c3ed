package io.muster.webhook.port;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.protocol.Birth;
import io.muster.extender.core.protocol.Siblings;
import java.util.Optional;

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

  /** What is known of the members that a gang has already; empty where nothing is. */
  default Optional<Siblings> siblings(Membership member) {
    return Optional.empty();
  }

  /** The same for a pod that is not to be stored: nothing is kept for it. */
  default BirthAdvice forRehearsal() {
    var advice = this;
    return new BirthAdvice() {
      @Override
      public Birth at(Pod pod) {
        return new Birth.Free();
      }

      @Override
      public Optional<Siblings> siblings(Membership member) {
        return advice.siblings(member);
      }
    };
  }
}
