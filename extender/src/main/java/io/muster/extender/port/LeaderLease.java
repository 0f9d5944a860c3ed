package io.muster.extender.port;

import java.time.Instant;

/** How long this process may decide: the leader lease. Safe for concurrent use. */
public interface LeaderLease {

  /** Until when the lease is ours unless it is renewed; in the past if it is not ours. */
  Instant heldUntil();

  /** Whether another process held it before us and may have been cut off. */
  boolean followsAnother();
}
