package io.muster.extender.port;

import java.time.Instant;

/** A lease that stays as the test says. */
public record FixedTenure(Instant heldUntil, boolean followsAnother) implements LeaderLease {

  /** Held for ever, and by nobody before. */
  public static final FixedTenure FOR_EVER = new FixedTenure(Instant.MAX, false);
}
