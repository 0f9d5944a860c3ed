package io.muster.extender.core.decision.burst;

import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pods, such as the members of one gang, whose gate Muster has asked to be removed and is not seen
 * to be off. A write that was lost is sent again: nobody else would ever remove the gate. Confined
 * to the decision thread.
 */
public final class GateRemovals {

  /** Longer than the tries of one write take while the API server answers. */
  private static final Duration SENT_APART = Duration.ofSeconds(10);

  /** What was sent, and when a tick first saw it; empty until then. */
  private record Sent(Effect.Ungate effect, Optional<Instant> since) {}

  private final Map<String, Sent> sent = new HashMap<>();

  public void sent(Effect.Ungate effect) {
    sent.put(effect.pod().uid(), new Sent(effect, Optional.empty()));
  }

  /** The gate is off, the pod is gone, or the gate is to stay. */
  public void forget(String uid) {
    sent.remove(uid);
  }

  public void forgetAll() {
    sent.clear();
  }

  public boolean isSent(String uid) {
    return sent.containsKey(uid);
  }

  public boolean areNone() {
    return sent.isEmpty();
  }

  /** Those that are to be sent again now. */
  public List<Effect.Ungate> due(Instant now) {
    if (sent.isEmpty()) {
      return List.of();
    }
    var due = new ArrayList<Effect.Ungate>();
    sent.replaceAll((_, removal) -> {
      if (removal.since().isEmpty()) {
        return new Sent(removal.effect(), Optional.of(now));
      }
      if (now.isBefore(removal.since().get().plus(SENT_APART))) {
        return removal;
      }
      due.add(removal.effect());
      return new Sent(removal.effect(), Optional.of(now));
    });
    return due;
  }
}
