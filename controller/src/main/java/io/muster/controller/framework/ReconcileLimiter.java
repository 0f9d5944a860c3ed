package io.muster.controller.framework;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Semaphore;

/**
 * Lets few reconciles write at a time, in the order in which their permits were handed out. A
 * hundred jobs made at once are then made one after the other, each whole in a moment, instead of
 * all of them together in the end: gangs that are half made wait for each other's writes. Safe for
 * concurrent use.
 */
public final class ReconcileLimiter {

  private static final int AT_ONCE = 4;

  private final Queue<Permit> waiting =
      new PriorityQueue<>(Comparator.comparingLong((Permit permit) -> permit.number));
  private int inside;
  private long handedOut;

  /**
   * A place in the order. Who releases it and comes back with it goes before all that got theirs
   * later. Of one reconcile at a time.
   */
  public final class Permit {

    private final long number;
    private final Semaphore admitted = new Semaphore(0);
    private boolean isInside;

    private Permit(long number) {
      this.number = number;
    }

    /** Waits for its turn; those inside only do what is bounded in time. */
    void acquire() {
      if (!admit(this)) {
        admitted.acquireUninterruptibly();
      }
    }

    /** Lets the next one in; may be called again. */
    public void release() {
      leave(this);
    }
  }

  /** Leave to write, in this order. */
  synchronized Permit permit() {
    return new Permit(handedOut++);
  }

  /** How many wait for their turn. */
  synchronized int waiting() {
    return waiting.size();
  }

  private synchronized boolean admit(Permit permit) {
    if (inside == AT_ONCE) {
      waiting.add(permit);
      return false;
    }
    inside++;
    permit.isInside = true;
    return true;
  }

  private synchronized void leave(Permit permit) {
    if (!permit.isInside) {
      return;
    }
    permit.isInside = false;
    var next = waiting.poll();
    if (next == null) {
      inside--;
    } else {
      next.isInside = true;
      next.admitted.release();
    }
  }
}
