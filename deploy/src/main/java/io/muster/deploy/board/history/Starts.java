package io.muster.deploy.board.history;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * When gangs have started and how long they waited, the last 32,768 of them. Confined to the lock
 * of its owner.
 */
final class Starts {

  static final int MOST = 32_768;

  /** Steps, which fit until the year 2650; never one before that of the start before. */
  private final int[] steps = new int[MOST];

  private final int[] waitSeconds = new int[MOST];
  private int first;
  private int count;
  private long forgottenUntil = Long.MIN_VALUE;

  void add(long step, int seconds) {
    if (count == MOST) {
      forgottenUntil = steps[first];
      first = (first + 1) % MOST;
      count--;
    }
    int place = (first + count) % MOST;
    steps[place] = (int) step;
    waitSeconds[place] = seconds;
    count++;
  }

  /** Those that come after that step have not been. */
  void forgetAfter(long step) {
    while (count > 0 && steps[(first + count - 1) % MOST] > step) {
      count--;
    }
  }

  /** Whether all that have been since then are there. */
  boolean knowsSince(long step) {
    return step > forgottenUntil;
  }

  /** Waits of those that started from that step on and before the other one, in order. */
  int[] waits(long from, long to) {
    int begin = firstNotBefore(from);
    int end = firstNotBefore(to);
    var waits = new int[end - begin];
    for (int i = begin; i < end; i++) {
      waits[i - begin] = waitSeconds[(first + i) % MOST];
    }
    Arrays.sort(waits);
    return waits;
  }

  private int firstNotBefore(long step) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) / 2;
      if (steps[(first + middle) % MOST] < step) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * @param sorted in seconds
   */
  static OptionalInt median(int[] sorted) {
    if (sorted.length == 0) {
      return OptionalInt.empty();
    }
    int upper = sorted[sorted.length / 2];
    int lower = sorted[(sorted.length - 1) / 2];
    return OptionalInt.of((int) (((long) lower + upper) / 2));
  }
}
