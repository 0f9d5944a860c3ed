package io.muster.extender.core.plan;

import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.Arrays;

/**
 * The nodes that can take one more member of a kind, best first, kept up as members are placed on
 * trial.
 *
 * <ol>
 *   <li>Each node that fits is entered with a key of whether it is preferred, its score and its
 *       turn among equals, the least key first.
 *   <li>Before it is asked, each node on which a member has been placed since is entered anew.
 *   <li>An entry whose key is no longer that of its node is dropped when it comes up.
 * </ol>
 *
 * <p>So a placement costs one entry per kind of member, not a walk over the nodes. Not safe for
 * concurrent use.
 */
final class Ranking {

  static final int NONE = -1;

  private static final int TURN_BITS = 24;
  private static final long TURN = (1L << TURN_BITS) - 1;

  /** Above all scores. */
  private static final long LAST = 1L << 62;

  private final Need need;
  private final Trial trial;
  private final PackingPolicy policy;

  /** Those that fitted at first, in order. */
  private final int[] slots;

  /** The turn of each of them; empty: they take their turns in their order. */
  private final int[] turns;

  /** The same slots as they take their turns. */
  private final int[] inTurn;

  private long[] heap;
  private int size;
  private int seen;

  /** Among these slots, which are in order. */
  Ranking(Need need, Trial trial, PackingPolicy policy, int[] within, Fabric fabric) {
    this.need = need;
    this.trial = trial;
    this.policy = policy;
    slots = fitting(need, within);
    turns = fabric.turns(slots);
    inTurn = inTurn();
    heap = new long[Math.max(16, slots.length)];
    seen = trial.mark();
    for (int turn = 0; turn < inTurn.length; turn++) {
      heap[size++] = key(turn);
    }
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  private static int[] fitting(Need need, int[] within) {
    var fitting = new int[within.length];
    int count = 0;
    for (int slot : within) {
      if (need.fits(slot)) {
        fitting[count++] = slot;
      }
    }
    return Arrays.copyOf(fitting, count);
  }

  private int[] inTurn() {
    if (turns.length == 0) {
      return slots;
    }
    var inTurn = new int[slots.length];
    for (int i = 0; i < slots.length; i++) {
      inTurn[turns[i]] = slots[i];
    }
    return inTurn;
  }

  /** The best node now, or {@link #NONE}. */
  int best() {
    catchUp();
    while (size > 0) {
      int turn = (int) (heap[0] & TURN);
      if (need.fits(inTurn[turn]) && key(turn) == heap[0]) {
        return inTurn[turn];
      }
      heap[0] = heap[--size];
      sink(0);
    }
    return NONE;
  }

  private void catchUp() {
    for (; seen < trial.mark(); seen++) {
      int at = Arrays.binarySearch(slots, trial.slot(seen));
      if (at >= 0 && need.fits(slots[at])) {
        append(key(turns.length == 0 ? at : turns[at]));
        rise(size - 1);
      }
    }
  }

  private long key(int turn) {
    int slot = inTurn[turn];
    long score = policy.score(need.idle(slot), need.idleAfter(slot));
    long key = (PackingPolicy.HIGHEST - score) << TURN_BITS | turn;
    return need.prefers(slot) ? key : key | LAST;
  }

  private void append(long key) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    heap[size++] = key;
  }

  private void sink(int from) {
    int parent = from;
    long moved = heap[parent];
    while (2 * parent + 1 < size) {
      int child = 2 * parent + 1;
      if (child + 1 < size && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= moved) {
        break;
      }
      heap[parent] = heap[child];
      parent = child;
    }
    heap[parent] = moved;
  }

  private void rise(int from) {
    int child = from;
    long moved = heap[child];
    while (child > 0 && heap[(child - 1) / 2] > moved) {
      heap[child] = heap[(child - 1) / 2];
      child = (child - 1) / 2;
    }
    heap[child] = moved;
  }
}
