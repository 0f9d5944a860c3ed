package io.muster.controller.framework;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Semaphore;

/**
 * Lets few reconciles write at a time, in the order in which their permits were handed out. A
 * hundred jobs made at once are then made one after the other, each whole in a moment, instead of
 * all of them together in the end: gangs that are half made wait for each other's writes. Those of
 * a namespace of which fewer are inside go first, so that nobody waits for all that the users of
 * another make. Safe for concurrent use.
 */
public final class ReconcileLimiter {

  private static final int AT_ONCE = 4;

  /** By namespace. */
  private final Map<String, Queue<Permit>> waiting = new HashMap<>();

  /** Those inside, as often as they are, by namespace. */
  private final Map<String, Integer> inside = new HashMap<>();

  private int insideInAll;
  private long handedOut;

  /**
   * A place in the order. Who releases it and comes back with it goes before all of its namespace
   * that got theirs later. Of one reconcile at a time.
   */
  public final class Permit {

    private final String namespace;
    private final long number;
    private final Semaphore admitted = new Semaphore(0);
    private boolean isInside;

    private Permit(String namespace, long number) {
      this.namespace = namespace;
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

  /** Leave to write for a job of that namespace, in this order. */
  synchronized Permit permit(String namespace) {
    return new Permit(namespace, handedOut++);
  }

  /** How many wait for their turn. */
  synchronized int waiting() {
    return waiting.values().stream().mapToInt(Queue::size).sum();
  }

  private synchronized boolean admit(Permit permit) {
    if (insideInAll == AT_ONCE) {
      waiting
          .computeIfAbsent(
              permit.namespace,
              _ -> new PriorityQueue<>(Comparator.comparingLong((Permit one) -> one.number)))
          .add(permit);
      return false;
    }
    enter(permit);
    return true;
  }

  private void enter(Permit permit) {
    permit.isInside = true;
    insideInAll++;
    inside.merge(permit.namespace, 1, Integer::sum);
  }

  private synchronized void leave(Permit permit) {
    if (!permit.isInside) {
      return;
    }
    permit.isInside = false;
    insideInAll--;
    inside.computeIfPresent(permit.namespace, (_, count) -> count == 1 ? null : count - 1);
    next()
        .ifPresent(first -> {
          enter(first);
          first.admitted.release();
        });
  }

  private Optional<Permit> next() {
    var first =
        waiting.values().stream()
            .map(Queue::element)
            .min(
                Comparator.comparingInt((Permit permit) -> inside.getOrDefault(permit.namespace, 0))
                    .thenComparingLong(permit -> permit.number));
    first.ifPresent(permit ->
        waiting.computeIfPresent(
            permit.namespace,
            (_, others) -> {
              others.remove();
              return others.isEmpty() ? null : others;
            }));
    return first;
  }
}
