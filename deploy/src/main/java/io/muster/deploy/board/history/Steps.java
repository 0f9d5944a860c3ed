package io.muster.deploy.board.history;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * A ring of steps of 10 s, the last 24 h of them. A step has the number of tens of seconds since
 * 1970, and its place in the ring says whose values stand there, so that what is older or was never
 * written is absent, whatever the clock did. Confined to the lock of its owner.
 */
final class Steps {

  static final int SECONDS = 10;
  static final int COUNT = (int) (Duration.ofHours(24).toSeconds() / SECONDS);
  private static final long NONE = Long.MIN_VALUE;

  private final long[] numbers = new long[COUNT];
  private final Map<Level, int[]> levels = new EnumMap<>(Level.class);

  /** Gangs that wait, by slot. What does not fit is the most that does. */
  private final char[][] waiting = new char[ReasonSlots.COUNT][COUNT];

  Steps() {
    Arrays.fill(numbers, NONE);
    for (var level : Level.values()) {
      levels.put(level, new int[COUNT]);
    }
  }

  /** The step in which that time is. */
  static long of(Instant at) {
    return Math.floorDiv(at.getEpochSecond(), (long) SECONDS);
  }

  private static int place(long step) {
    return Math.floorMod(step, COUNT);
  }

  boolean has(long step) {
    return numbers[place(step)] == step;
  }

  /**
   * @param levelsNow those that are known
   * @param waitingNow by slot
   */
  void write(long step, Map<Level, Long> levelsNow, int[] waitingNow) {
    int place = place(step);
    numbers[place] = step;
    levels.forEach((level, values) -> {
      long value = levelsNow.getOrDefault(level, (long) Level.ABSENT);
      values[place] = (int) Math.min(Integer.MAX_VALUE, value);
    });
    for (int slot = 0; slot < waiting.length; slot++) {
      waiting[slot][place] = (char) Math.min(Character.MAX_VALUE, waitingNow[slot]);
    }
  }

  /** What was in that step was in the other one too. */
  void copy(long from, long to) {
    int source = place(from);
    int place = place(to);
    numbers[place] = to;
    for (var level : levels.values()) {
      level[place] = level[source];
    }
    for (var slot : waiting) {
      slot[place] = slot[source];
    }
  }

  /** Those that come after it have not been. */
  void forgetAfter(long step) {
    for (int place = 0; place < COUNT; place++) {
      if (numbers[place] > step) {
        numbers[place] = NONE;
      }
    }
  }

  /** The first of the last 24 h that is there; the one after now if none is. */
  long oldest(long now) {
    long step = now - COUNT + 1;
    while (step <= now && !has(step)) {
      step++;
    }
    return step;
  }

  /** Where the values of so many steps stand; {@link Level#ABSENT} for those that are not there. */
  int[] places(long from, int count) {
    var places = new int[count];
    int place = place(from);
    for (int i = 0; i < count; i++) {
      places[i] = numbers[place] == from + i ? place : Level.ABSENT;
      place = place + 1 == COUNT ? 0 : place + 1;
    }
    return places;
  }

  /** From a place to the level there; {@link Level#ABSENT} if it is not known. */
  IntUnaryOperator at(Level level) {
    var values = levels.get(level);
    return place -> values[place];
  }

  /** From a place to the gangs that waited there, in any of the slots; likewise. */
  IntUnaryOperator at(int... slots) {
    var running = levels.get(Level.RUNNING);
    return place -> {
      if (running[place] == Level.ABSENT) {
        return Level.ABSENT;
      }
      int sum = 0;
      for (int slot : slots) {
        sum += waiting[slot][place];
      }
      return sum;
    };
  }

  /** Whether it was seen then what gangs did. */
  boolean knowsGangs(long step) {
    return has(step) && levels.get(Level.RUNNING)[place(step)] != Level.ABSENT;
  }

  /** Of all steps up to that one. */
  long sum(int slot, long now) {
    long sum = 0;
    for (int place = 0; place < COUNT; place++) {
      if (numbers[place] > now - COUNT && numbers[place] <= now) {
        sum += waiting[slot][place];
      }
    }
    return sum;
  }

  /** All of one slot counts in another one from now on, and in none of its own. */
  void merge(int slot, int into) {
    for (int place = 0; place < COUNT; place++) {
      int both = waiting[slot][place] + waiting[into][place];
      waiting[into][place] = (char) Math.min(Character.MAX_VALUE, both);
      waiting[slot][place] = 0;
    }
  }
}
