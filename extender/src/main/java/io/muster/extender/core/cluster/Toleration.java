package io.muster.extender.core.cluster;

import java.util.Optional;

/**
 * A pod's toleration with the rules of core/v1: no key and {@code exists} tolerates everything, no
 * effect tolerates every effect. Immutable.
 */
public record Toleration(String key, boolean exists, String value, Optional<Taint.Effect> effect) {

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
