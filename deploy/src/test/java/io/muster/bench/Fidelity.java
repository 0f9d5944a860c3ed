package io.muster.bench;

import io.muster.simulator.world.JobStart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** How far a replay tells what became of the same gangs on a cluster. Immutable. */
record Fidelity(List<Pair> pairs) {

  /**
   * One gang, live and replayed.
   *
   * @param begun when its first member was bound, live
   * @param isInOrder whether it began after all gangs that started earlier in the replay, and
   *     before all that started later there; those that start at one moment have no order
   */
  record Pair(
      TimedGang timed, JobStart live, Duration begun, JobStart replayed, boolean isInOrder) {

    boolean isOnSameNodes() {
      return live.nodes().equals(replayed.nodes());
    }

    double waitedLive() {
      return seconds(live.at().minus(timed.arrival()));
    }

    double waitedReplayed() {
      return seconds(replayed.at().minus(timed.arrival()));
    }
  }

  Fidelity {
    pairs = List.copyOf(pairs);
  }

  /**
   * Compares.
   *
   * @param begun when the first member of each gang was bound, live
   */
  static Fidelity of(
      TimedWork work, List<JobStart> live, Map<String, Duration> begun, List<JobStart> replayed) {
    var lives = byJob(live);
    var replays = byJob(replayed);
    return new Fidelity(
        work.gangs().stream()
            .map(timed -> {
              var name = timed.gang().name();
              boolean isInOrder =
                  replayed.stream().allMatch(other -> areAlike(name, other.job(), begun, replays));
              return new Pair(
                  timed, lives.get(name), begun.get(name), replays.get(name), isInOrder);
            })
            .toList());
  }

  private static Map<String, JobStart> byJob(List<JobStart> starts) {
    return starts.stream().collect(Collectors.toMap(JobStart::job, Function.identity()));
  }

  private static boolean areAlike(
      String one, String other, Map<String, Duration> begun, Map<String, JobStart> replays) {
    int replayed = replays.get(one).at().compareTo(replays.get(other).at());
    int live = begun.get(one).compareTo(begun.get(other));
    return replayed == 0 || Integer.signum(replayed) == Integer.signum(live);
  }

  long onSameNodes() {
    return pairs.stream().filter(Pair::isOnSameNodes).count();
  }

  long inOrder() {
    return pairs.stream().filter(Pair::isInOrder).count();
  }

  double meanLive() {
    return mean(Pair::waitedLive);
  }

  double meanReplayed() {
    return mean(Pair::waitedReplayed);
  }

  double longestLive() {
    return pairs.stream().mapToDouble(Pair::waitedLive).max().orElseThrow();
  }

  double longestReplayed() {
    return pairs.stream().mapToDouble(Pair::waitedReplayed).max().orElseThrow();
  }

  /** The largest difference of any gang. */
  double farthestApart() {
    return pairs.stream()
        .mapToDouble(pair -> Math.abs(pair.waitedLive() - pair.waitedReplayed()))
        .max()
        .orElseThrow();
  }

  private double mean(ToDoubleFunction<Pair> what) {
    return pairs.stream().mapToDouble(what).average().orElseThrow();
  }

  void print() {
    System.out.printf(
        "    %-5s %8s %8s %6s %7s %7s %7s  nodes%n",
        "gang", "members", "arrives", "runs", "begins", "waits", "replay");
    for (var pair : pairs) {
      System.out.printf(
          "    %-5s %5dx%-2d %8.2f %6.1f %7.2f %7.2f %7.2f%s %s%n",
          pair.timed().gang().name(),
          pair.timed().gang().members(),
          pair.timed().gang().gpus(),
          seconds(pair.timed().arrival()),
          seconds(pair.timed().runs()),
          seconds(pair.begun()),
          pair.waitedLive(),
          pair.waitedReplayed(),
          pair.isInOrder() ? " " : "!",
          pair.isOnSameNodes()
              ? shown(pair.live().nodes())
              : shown(pair.live().nodes()) + " REPLAYED " + shown(pair.replayed().nodes()));
    }
  }

  private static String shown(List<String> nodes) {
    var counted = new ArrayList<String>();
    nodes.stream()
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
        .entrySet()
        .stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(each ->
            counted.add(
                each.getKey().substring(Arena.NODE_PREFIX.length() + 1)
                    + (each.getValue() == 1 ? "" : "*" + each.getValue())));
    return String.join(" ", counted);
  }

  static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }
}
