package io.muster.deploy.serve.lease;

import java.time.Duration;
import java.time.Instant;

/**
 * Until when a lease is held: from the moment before its last successful write was sent. A clock
 * that is set back does not make it longer, since a stopwatch measures it; a machine that sleeps,
 * whose stopwatch may stand still meanwhile, does not either, since the time of day ends it too.
 * Safe for concurrent use.
 */
final class HeldLease {

  private static final Moment NEVER = new Moment(Instant.MIN, Instant.MIN);

  private final Clocks clocks;
  private final Duration lease;
  private volatile Moment until = NEVER;

  /** One moment by both clocks. */
  record Moment(Instant steady, Instant wall) {
    private Moment plus(Duration time) {
      return new Moment(steady.plus(time), wall.plus(time));
    }
  }

  HeldLease(Clocks clocks, Duration lease) {
    this.clocks = clocks;
    this.lease = lease;
  }

  /** The present moment, to be asked for before a write is sent. */
  Moment now() {
    return new Moment(clocks.steady().instant(), clocks.wall().instant());
  }

  /** A write that was sent then has worked. */
  void renewed(Moment sent) {
    until = sent.plus(lease);
  }

  void lost() {
    until = NEVER;
  }

  /** By the steady clock; long past where it is not held. */
  Instant until() {
    var held = until;
    return clocks.wall().instant().isAfter(held.wall()) ? Instant.MIN : held.steady();
  }
}
