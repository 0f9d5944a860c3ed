package io.muster.controller.kube;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets few looks at jobs write at a time, in the order in which they came. A hundred jobs made at
 * once are then made one after the other, each whole in a moment, instead of all of them together
 * in the end: gangs that are half made wait for each other's writes. Safe for concurrent use.
 */
public final class Turnstile {

  private static final int AT_ONCE = 4;

  private final Semaphore passes = new Semaphore(AT_ONCE, true);

  /** Leave to write, until it is given back. */
  public final class Pass {

    private final AtomicBoolean isGivenBack = new AtomicBoolean();

    private Pass() {}

    /** Lets the next one in; may be called again. */
    public void leave() {
      if (isGivenBack.compareAndSet(false, true)) {
        passes.release();
      }
    }
  }

  /** Waits for its turn; those inside only do what is bounded in time. */
  public Pass enter() {
    passes.acquireUninterruptibly();
    return new Pass();
  }
}
