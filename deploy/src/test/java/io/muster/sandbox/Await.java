package io.muster.sandbox;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Bounded polling: every wait of the sandbox goes through here and ends at its deadline. Who has
 * waited long asks less often, since each question takes time of the processors that is waited for.
 */
public final class Await {

  private static final Duration SHORTEST_STEP = Duration.ofMillis(50);
  private static final Duration LONGEST_STEP = Duration.ofMillis(250);

  /** Of the time waited so far, the part that may pass before the next question. */
  private static final int PART = 25;

  private Await() {}

  /**
   * Returns once the condition holds.
   *
   * @param what completes the sentence "waited N s for ..."
   * @throws SandboxException when the limit has passed or the thread was interrupted
   */
  public static void until(String what, Duration limit, BooleanSupplier condition) {
    if (!within(limit, condition)) {
      throw new SandboxException("Waited " + limit.toSeconds() + " s in vain for " + what + ".");
    }
  }

  /** Whether the condition came to hold within the limit. */
  public static boolean within(Duration limit, BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      long waited = System.nanoTime() - begun;
      if (waited >= limit.toNanos()) {
        return false;
      }
      LockSupport.parkNanos(
          Math.clamp(waited / PART, SHORTEST_STEP.toNanos(), LONGEST_STEP.toNanos()));
      if (Thread.currentThread().isInterrupted()) {
        throw new SandboxException("The wait was interrupted.");
      }
    }
    return true;
  }
}
