package io.muster.extender.port;

import io.muster.extender.core.protocol.Effect;
import java.util.List;

/**
 * Carries effects out. Returns before anything is written and never throws; what an effect must be
 * answered by goes to the sink later. Safe for concurrent use.
 */
@FunctionalInterface
public interface EffectRunner {

  /** Begins to carry the effects out, in the order in which lists are handed over. */
  void run(List<Effect> effects, EventSink answers);
}
