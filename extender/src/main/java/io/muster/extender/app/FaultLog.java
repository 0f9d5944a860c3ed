package io.muster.extender.app;

import io.muster.extender.port.FaultMeter;
import io.muster.extender.port.FaultMeter.Doing;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the faults of the decisions and logs them, at most one a second. {@link #report} and
 * {@link #isFailing} are safe for concurrent use, the rest belongs to the lock around the
 * decisions.
 */
final class FaultLog {

  /** So many events and calls that fail one after the other leave nothing that could be trusted. */
  static final int IN_A_ROW = 20;

  private static final Logger LOG = LoggerFactory.getLogger(FaultLog.class);
  private static final Duration LOGGED_APART = Duration.ofSeconds(1);

  private final FaultMeter meter;
  private final InstantSource clock;
  private volatile int failedInARow;
  private boolean hasFailed;
  private Instant loggedAt = Instant.MIN;

  FaultLog(FaultMeter meter, InstantSource clock) {
    this.meter = meter;
    this.clock = clock;
  }

  /** An event or a call begins. */
  void begin() {
    hasFailed = false;
  }

  /** It has met a fault. */
  void note(Doing doing, Object subject, Throwable fault) {
    hasFailed = true;
    report(doing, subject, fault);
  }

  /** It has ended. */
  void end() {
    failedInARow = hasFailed ? Math.min(failedInARow + 1, IN_A_ROW) : 0;
  }

  /** Whether the last {@value #IN_A_ROW} events and calls have all met a fault. */
  boolean isFailing() {
    return failedInARow >= IN_A_ROW;
  }

  /** Counts a fault of something else than an event or a call, and logs it. */
  synchronized void report(Doing doing, Object subject, Throwable fault) {
    meter.failed(doing);
    var now = clock.instant();
    if (now.isBefore(loggedAt.plus(LOGGED_APART)) && !now.isBefore(loggedAt)) {
      return;
    }
    loggedAt = now;
    LOG.atError()
        .setCause(fault)
        .addKeyValue("doing", doing)
        .addKeyValue("subject", subject)
        .log("a step of the decisions failed");
  }
}
