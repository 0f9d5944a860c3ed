package io.muster.deploy.board.feed;

import java.time.Duration;

/** Says that something has changed since it was last asked. Safe for concurrent use. */
final class ChangeSignal {

  private boolean isRaised = true;

  synchronized void raise() {
    isRaised = true;
    notifyAll();
  }

  /** Whether it was raised; it is not any more. */
  synchronized boolean lower() {
    boolean was = isRaised;
    isRaised = false;
    return was;
  }

  /** Waits until it is raised, but not longer than that. */
  synchronized void await(Duration longest) throws InterruptedException {
    long until = System.nanoTime() + longest.toNanos();
    while (!isRaised) {
      long left = Duration.ofNanos(until - System.nanoTime()).toMillis();
      if (left <= 0) {
        return;
      }
      wait(left);
    }
  }
}
