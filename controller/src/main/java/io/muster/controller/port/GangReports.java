package io.muster.controller.port;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangReport;
import java.util.Optional;

/**
 * What those who place gangs say of one, as {@code kubectl get gangs} has it. Answered from memory.
 * Safe for concurrent use.
 */
@FunctionalInterface
public interface GangReports {

  /** By now; empty while they cannot tell, or know no such gang. */
  Optional<GangReport> of(GangId gang);
}
