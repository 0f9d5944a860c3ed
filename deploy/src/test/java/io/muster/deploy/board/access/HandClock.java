package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Time that a test moves on. Safe for concurrent use. */
final class HandClock implements InstantSource {

  private volatile Instant now = Instant.parse("2026-11-26T12:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }
}
