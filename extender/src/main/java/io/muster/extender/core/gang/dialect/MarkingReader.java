package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import java.util.Optional;

/** Reads the markings of one dialect. Stateless; total for any input. */
public interface MarkingReader {

  Dialect dialect();

  /** The gang that the markings name in this dialect; empty if they name none. */
  Optional<Membership> read(Markings markings);
}
