package io.muster.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * CPU milliseconds that each process took for each pod, by side: the median of the rounds that
 * count. On a machine that others use too it says more than time does. Confined to one thread.
 */
final class CpuPerPod {

  private static final String TOTAL = "all";

  private final Map<Side, List<Map<String, Double>>> rounds = new EnumMap<>(Side.class);

  void add(Side side, Round.Outcome outcome) {
    add(side, outcome.cpu(), outcome.pods());
  }

  void add(Side side, CpuTimes cpu, int pods) {
    var millis = new LinkedHashMap<String, Double>();
    cpu.seconds().forEach((process, seconds) -> millis.put(process, seconds * 1000 / pods));
    millis.put(TOTAL, cpu.total() * 1000 / pods);
    rounds.computeIfAbsent(side, _ -> new ArrayList<>()).add(millis);
  }

  /** A line a process: CPU ms a pod of each side, and of Muster's above bare. */
  void print() {
    var sides = rounds.keySet();
    boolean compares = sides.containsAll(Set.of(Side.BARE, Side.MUSTER));
    System.out.printf("%n  %-26s", "CPU ms a pod");
    sides.forEach(side -> System.out.printf("%10s", side.label()));
    System.out.println(compares ? "   muster above bare" : "");
    for (var process : processes()) {
      System.out.printf("  %-26s", process);
      sides.forEach(side -> System.out.printf("%10.2f", median(side, process)));
      System.out.println(
          compares
              ? "%20.2f".formatted(median(Side.MUSTER, process) - median(Side.BARE, process))
              : "");
    }
  }

  /** For the line of JSON: all processes together, by side. */
  Map<String, Double> totals() {
    var totals = new LinkedHashMap<String, Double>();
    rounds.keySet().forEach(side -> totals.put("cpuMsAPod." + side.label(), median(side, TOTAL)));
    return totals;
  }

  /** Of a process that a side does not have, 0. */
  double median(Side side, String process) {
    Function<Map<String, Double>, Double> value = round -> round.getOrDefault(process, 0.0);
    return Verdict.median(rounds.get(side).stream().map(value).toList());
  }

  private List<String> processes() {
    var names = new TreeSet<String>();
    rounds.values().stream().flatMap(List::stream).forEach(round -> names.addAll(round.keySet()));
    names.remove(TOTAL);
    var all = new ArrayList<>(names);
    all.add(TOTAL);
    return all;
  }
}
