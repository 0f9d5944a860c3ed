package io.muster.controller.kube;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Semaphore;

/**
 * Lets few looks at jobs write at a time, in the order in which their passes were handed out. A
 * hundred jobs made at once are then made one after the other, each whole in a moment, instead of
 * all of them together in the end: gangs that are half made wait for each other's writes. Safe for
 * concurrent use.
 */
public final class Turnstile {

  private static final int AT_ONCE = 4;

  private final Queue<Pass> waiting =
      new PriorityQueue<>(Comparator.comparingLong((Pass pass) -> pass.number));
  private int inside;
  private long handedOut;

  /**
   * A place in the order. Who leaves and comes back with the same pass goes before all that got
   * theirs later. Of one look at a time.
   */
  public final class Pass {

    private final long number;
    private final Semaphore admitted = new Semaphore(0);
    private boolean isInside;

    private Pass(long number) {
      this.number = number;
    }

    /** Waits for its turn; those inside only do what is bounded in time. */
    void enter() {
      if (!admit(this)) {
        admitted.acquireUninterruptibly();
      }
    }

    /** Lets the next one in; may be called again. */
    public void leave() {
      release(this);
    }
  }

  /** Leave to write, in this order. */
  synchronized Pass pass() {
    return new Pass(handedOut++);
  }

  /** How many wait for their turn. */
  synchronized int waiting() {
    return waiting.size();
  }

  private synchronized boolean admit(Pass pass) {
    if (inside == AT_ONCE) {
      waiting.add(pass);
      return false;
    }
    inside++;
    pass.isInside = true;
    return true;
  }

  private synchronized void release(Pass pass) {
    if (!pass.isInside) {
      return;
    }
    pass.isInside = false;
    var next = waiting.poll();
    if (next == null) {
      inside--;
    } else {
      next.isInside = true;
      next.admitted.release();
    }
  }
}
