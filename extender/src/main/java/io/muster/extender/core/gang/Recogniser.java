package io.muster.extender.core.gang;

import java.util.Optional;

/** Reads a pod's markings in every known dialect. Stateless; safe for concurrent use. */
public final class Recogniser {

  /** The gang that the markings name, in the order of detection; empty for a pod without gang. */
  public Optional<Membership> recognise(Markings markings) {
    return Optional.empty();
  }
}
