package io.muster.extender.core.cluster;

import java.util.Optional;

/**
 * A pod's toleration with the rules of core/v1: no key and {@code exists} tolerates everything, no
 * effect tolerates every effect. Immutable.
 *
 * @param ends whether a taint that evicts is tolerated for some time only
 */
public record Toleration(
    String key, boolean exists, String value, Optional<Taint.Effect> effect, boolean ends) {

  /** One that holds for good. */
  public Toleration(String key, boolean exists, String value, Optional<Taint.Effect> effect) {
    this(key, exists, value, effect, false);
  }

  /** Whether this toleration covers the taint. */
  public boolean covers(Taint taint) {
    if (effect.isPresent() && effect.get() != taint.effect()) {
      return false;
    }
    if (key.isEmpty()) {
      return exists;
    }
    return key.equals(taint.key()) && (exists || value.equals(taint.value()));
  }
}
