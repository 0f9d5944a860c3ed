package io.muster.extender.port;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Runs work later, so that nothing has to sleep. Safe for concurrent use. */
@FunctionalInterface
public interface Delays {

  /** Runs the work once the delay has passed; the work must be short. */
  void after(Duration delay, Runnable work);

  /** Holds the calling thread back for that long, or until it is interrupted. */
  default void pause(Duration delay) {
    var passed = new CountDownLatch(1);
    after(delay, passed::countDown);
    try {
      passed.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
