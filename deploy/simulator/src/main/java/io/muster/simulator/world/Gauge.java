package io.muster.simulator.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Adds up over time what is used, wasted and waited for. Between two calls of {@link #moveTo}
 * nothing changes. Not safe for concurrent use.
 */
final class Gauge {

  private static final int MOST_SAMPLES = 2_000;

  private final long gpus;
  private long now;
  private long usedGpus;
  private long incompleteGpus;
  private int waitingGangs;

  /** How many waiting gangs need how many devices. */
  private final TreeMap<Long, Integer> needs = new TreeMap<>();

  private double used;
  private double usedWhileWaiting;
  private double waited;
  private double fragmented;
  private double incomplete;

  // The stretch that is being sampled.
  private final List<Result.Sample> samples = new ArrayList<>();
  private long stretch = 60_000;
  private long stretchEnd = stretch;
  private double stretchUsed;
  private double stretchWaiting;

  Gauge(long gpus) {
    this.gpus = gpus;
  }

  void moveTo(long millis) {
    while (stretchEnd <= millis) {
      pass(stretchEnd - now);
      samples.add(
          new Result.Sample(
              Duration.ofMillis(stretchEnd), stretchUsed / stretch, stretchWaiting / stretch));
      stretchUsed = 0;
      stretchWaiting = 0;
      if (samples.size() == MOST_SAMPLES) {
        halve();
      }
      stretchEnd += stretch;
    }
    pass(millis - now);
  }

  private void pass(long millis) {
    now += millis;
    used += (double) usedGpus * millis;
    incomplete += (double) incompleteGpus * millis;
    if (anyWaits()) {
      usedWhileWaiting += (double) usedGpus * millis;
      waited += (double) gpus * millis;
    }
    long idle = gpus - usedGpus;
    if (!needs.isEmpty() && needs.firstKey() <= idle) {
      fragmented += (double) idle * millis;
    }
    stretchUsed += (double) usedGpus * millis;
    stretchWaiting += (double) waitingGangs * millis;
  }

  private void halve() {
    var halves = new ArrayList<Result.Sample>();
    for (int i = 0; i + 1 < samples.size(); i += 2) {
      var first = samples.get(i);
      var second = samples.get(i + 1);
      halves.add(
          new Result.Sample(
              second.at(),
              (first.used() + second.used()) / 2,
              (first.waiting() + second.waiting()) / 2));
    }
    samples.clear();
    samples.addAll(halves);
    stretch *= 2;
  }

  void take(long more) {
    usedGpus += more;
    if (usedGpus > gpus || usedGpus < 0) {
      throw new IllegalStateException("%d of %d GPUs are used".formatted(usedGpus, gpus));
    }
  }

  void holdIncomplete(long more) {
    incompleteGpus += more;
  }

  void waits(long need) {
    waitingGangs++;
    needs.merge(need, 1, Integer::sum);
  }

  void waitsNoMore(long need) {
    waitingGangs--;
    needs.merge(need, -1, (a, b) -> a + b == 0 ? null : a + b);
  }

  boolean anyWaits() {
    return waitingGangs > 0;
  }

  /** Share of the devices that are used while a gang waits; 1 if none has waited. */
  double occupancy() {
    return waited == 0 ? 1 : usedWhileWaiting / waited;
  }

  double usedGpuSeconds() {
    return used / 1000;
  }

  double fragmentedGpuSeconds() {
    return fragmented / 1000;
  }

  double incompleteGpuSeconds() {
    return incomplete / 1000;
  }

  List<Result.Sample> samples() {
    return List.copyOf(samples);
  }
}
