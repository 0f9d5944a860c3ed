package io.muster.controller.port;

import io.muster.extender.core.gang.GangId;
import java.util.Optional;

/** Whether anybody is in a gang. Answered from memory. Safe for concurrent use. */
@FunctionalInterface
public interface GangMembers {

  /** By now, as far as pods have been seen; empty while nobody can tell. */
  Optional<Boolean> isAnybodyIn(GangId gang);
}
