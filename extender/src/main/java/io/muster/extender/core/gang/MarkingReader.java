package io.muster.extender.core.gang;

import java.util.Optional;

/** Reads the markings of one dialect. Stateless; total for any input. */
interface MarkingReader {

  Dialect dialect();

  /** The gang that the markings name in this dialect; empty if they name none. */
  Optional<Membership> read(Markings markings);
}
