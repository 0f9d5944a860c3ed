package io.muster.deploy.serve;

import io.muster.extender.port.Delays;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs short work later or again and again, on one thread. Safe for concurrent use. */
final class ServeTimers implements Delays, AutoCloseable {

  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          work -> Thread.ofPlatform().name("muster-timers").daemon().unstarted(work));

  @Override
  public void after(Duration delay, Runnable work) {
    try {
      var _ = scheduler.schedule(work, delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // Only after close: nothing is to be done later any more.
    }
  }

  void every(Duration period, Runnable work) {
    var _ =
        scheduler.scheduleAtFixedRate(
            work, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
  }
}
