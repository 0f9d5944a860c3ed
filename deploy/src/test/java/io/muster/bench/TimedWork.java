package io.muster.bench;

import io.muster.simulator.world.JobStart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Gangs that come one by one or in bursts, some of which have to wait. Run times are drawn and then
 * made longer until no two things happen too close together for a cluster to tell which came first:
 * members end and are bound within tenths of a second there, in a replay at once. Same seed, same
 * work. Immutable.
 */
record TimedWork(String name, List<TimedGang> gangs) {

  static final int NODES = 18;

  private static final int GANGS = 60;
  private static final Duration STEP = Duration.ofMillis(100);

  /** Members, and GPUs of each. */
  private static final int[][] SHAPES = {
    {1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {32, 1}, {1, 2}, {3, 2}, {8, 2}, {1, 4}, {2, 4},
    {5, 4}, {1, 8}, {2, 8}, {4, 8}
  };

  /** How far apart things must be. */
  private record Gaps(Duration afterArrival, Duration beforeArrival, Duration betweenEnds) {}

  TimedWork {
    gangs = List.copyOf(gangs);
  }

  /** One every three seconds. */
  static TimedWork oneByOne(long seed) {
    var gaps = new Gaps(Duration.ofMillis(800), Duration.ofMillis(1600), Duration.ofMillis(1200));
    return apart("one by one", drawn("s", seed, 30, i -> Duration.ofSeconds(3L * i)), gaps);
  }

  /** Ten within two seconds, every fifteen seconds. */
  static TimedWork inBursts(long seed) {
    var gaps = new Gaps(Duration.ofMillis(1200), Duration.ofMillis(2200), Duration.ofMillis(2000));
    return apart(
        "in bursts",
        drawn("b", seed, 20, i -> Duration.ofMillis(15_000L * (i / 10) + 200L * (i % 10))),
        gaps);
  }

  private interface Arrivals {
    Duration of(int index);
  }

  /** That run so many seconds at least, and ten more at most. */
  private static List<TimedGang> drawn(String prefix, long seed, int least, Arrivals arrivals) {
    var random = new Random(seed);
    var gangs = new ArrayList<TimedGang>();
    for (int i = 0; i < GANGS; i++) {
      var shape = SHAPES[random.nextInt(SHAPES.length)];
      var runs = Duration.ofMillis(1000L * least + 100 * random.nextLong(100));
      gangs.add(
          new TimedGang(
              new Gang("%s%02d".formatted(prefix, i), shape[0], shape[1]), arrivals.of(i), runs));
    }
    return gangs;
  }

  /** Sets one end right after the other, the first that is wrong first: those before it stay. */
  private static TimedWork apart(String name, List<TimedGang> drawn, Gaps gaps) {
    var gangs = new HashMap<String, TimedGang>();
    drawn.forEach(each -> gangs.put(each.gang().name(), each));
    while (true) {
      var work = new TimedWork(name, inOrder(gangs.values().stream()));
      var ends = ends(work, Replayed.of(work));
      int wrong = firstWrong(work, ends, gaps);
      if (wrong < 0) {
        return work;
      }
      var moved = ends.get(wrong);
      var to = moved.at().plus(STEP);
      while (!isClear(work, ends.subList(0, wrong), to, gaps)) {
        to = to.plus(STEP);
      }
      var longer = to.minus(moved.at());
      gangs.computeIfPresent(moved.job(), (_, gang) -> gang.running(gang.runs().plus(longer)));
    }
  }

  private static List<TimedGang> inOrder(Stream<TimedGang> gangs) {
    return gangs.sorted(Comparator.comparing(TimedGang::arrival)).toList();
  }

  private record End(String job, Duration at) {}

  private static List<End> ends(TimedWork work, List<JobStart> starts) {
    var runs = new HashMap<String, Duration>();
    work.gangs().forEach(each -> runs.put(each.gang().name(), each.runs()));
    return starts.stream()
        .map(start -> new End(start.job(), start.at().plus(runs.get(start.job()))))
        .sorted(Comparator.comparing(End::at).thenComparing(End::job))
        .toList();
  }

  private static int firstWrong(TimedWork work, List<End> ends, Gaps gaps) {
    for (int i = 0; i < ends.size(); i++) {
      if (!isClear(work, ends.subList(0, i), ends.get(i).at(), gaps)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isClear(TimedWork work, List<End> before, Duration at, Gaps gaps) {
    boolean isOfEnds =
        before.stream().allMatch(end -> at.minus(end.at()).compareTo(gaps.betweenEnds()) >= 0);
    return isOfEnds
        && work.gangs().stream()
            .map(TimedGang::arrival)
            .allMatch(arrival ->
                at.compareTo(arrival.plus(gaps.afterArrival())) >= 0
                    || at.compareTo(arrival.minus(gaps.beforeArrival())) <= 0);
  }

  /** The same gangs, arriving then. */
  TimedWork arriving(Map<String, Duration> arrivals) {
    return new TimedWork(
        name, gangs.stream().map(each -> each.arriving(arrivals.get(each.gang().name()))).toList());
  }
}
