package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;

/** So many at once, and then one after each so long. Confined to the lock of whoever has it. */
final class Allowance {

  private final Duration apart;
  private final Duration whole;

  /** From when on everything may be taken at once again. */
  private Instant full = Instant.EPOCH;

  Allowance(int atOnce, Duration apart) {
    this.apart = apart;
    this.whole = apart.multipliedBy(atOnce);
  }

  static Allowance perSecond(int count, int atOnce) {
    return new Allowance(atOnce, Duration.ofSeconds(1).dividedBy(count));
  }

  /** How long until the next may be taken; zero: now. */
  Duration wait(Instant now) {
    // A clock that goes back keeps nobody out for longer.
    if (full.isAfter(now.plus(whole))) {
      full = now.plus(whole);
    }
    var wait = Duration.between(now, full.plus(apart).minus(whole));
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  /** Takes one, if it may be taken. */
  boolean take(Instant now) {
    if (!wait(now).isZero()) {
      return false;
    }
    full = (full.isAfter(now) ? full : now).plus(apart);
    return true;
  }

  /** What was taken last was not needed. */
  void giveBack() {
    full = full.minus(apart);
  }

  /** Whether nothing is known of it that a new one would not know. */
  boolean isWhole(Instant now) {
    return !full.isAfter(now);
  }
}
