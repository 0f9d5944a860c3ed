package io.muster.controller.port;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.extender.core.protocol.query.Prospect;
import java.util.List;
import java.util.Optional;

/**
 * What those who place gangs know of pods that nobody has made. Answered from memory, and nothing
 * is kept for anybody. Safe for concurrent use.
 */
@FunctionalInterface
public interface StartAdvice {

  /**
   * So many pods that are alike.
   *
   * @param pod as it would be made, in its namespace
   */
  record Batch(Pod pod, int count) {}

  /** Whether these would start, were they made now; empty while that cannot be told. */
  Optional<Prospect> ifMade(List<Batch> batches);
}
