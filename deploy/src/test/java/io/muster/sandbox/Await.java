package io.muster.sandbox;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Bounded polling: every wait of the sandbox goes through here and ends at its deadline. */
public final class Await {

  private static final Duration STEP = Duration.ofMillis(50);

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
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(STEP.toNanos());
      if (Thread.currentThread().isInterrupted()) {
        throw new SandboxException("The wait was interrupted.");
      }
    }
    return true;
  }
}
