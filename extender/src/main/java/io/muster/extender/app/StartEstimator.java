package io.muster.extender.app;

import io.muster.extender.core.estimate.StartEstimates;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.port.FaultMeter.Doing;
import java.time.Duration;
import java.util.function.DoublePredicate;
import java.util.function.LongSupplier;

/**
 * Works out when gangs that wait will start, beside the decisions: these are held up for as long as
 * it takes to copy references to what they go by. Takes one part in 150 of one core at most. To be
 * used by one thread.
 */
public final class StartEstimator {

  static final Duration APART = Duration.ofSeconds(5);

  /** The time between two is so many times what one takes: 30 s after 200 ms. */
  static final int TIMES = 150;

  /** What has not been found by then is too far away to be told. */
  static final Duration LONGEST = Duration.ofSeconds(2);

  private final ExtenderService service;
  private final LongSupplier nanoTime;

  public StartEstimator(ExtenderService service, LongSupplier nanoTime) {
    this.service = service;
    this.nanoTime = nanoTime;
  }

  /** Estimates once; gives back after how long to do so again. */
  public Duration estimate() {
    long begun = nanoTime.getAsLong();
    var copy = service.copy();
    copy.ifPresent(taken ->
        estimate(
            taken, share -> nanoTime.getAsLong() - begun < (long) (share * LONGEST.toNanos())));
    var took = Duration.ofNanos(nanoTime.getAsLong() - begun);
    var apart = took.multipliedBy(TIMES);
    return apart.compareTo(APART) > 0 ? apart : APART;
  }

  private void report(Effect.Fault fault) {
    service.report(Doing.OUTLOOK, "expected starts: " + fault.step(), fault.cause());
  }

  private void estimate(ClusterCopy copy, DoublePredicate isWithin) {
    try {
      var starts = StartEstimates.of(copy, isWithin, this::report);
      service.accept(new Event.StartsEstimated(copy.takenAt(), starts));
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      service.report(Doing.OUTLOOK, "expected starts", e);
    }
  }
}
