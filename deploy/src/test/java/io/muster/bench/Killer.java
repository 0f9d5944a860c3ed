package io.muster.bench;

import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Kills Muster, kube-scheduler and kube-apiserver by SIGKILL, each once in three kills and in an
 * order that is drawn: each of them has to go on after each other's end. Starts them again at once;
 * remembers when all of them were ready. What ended by itself meanwhile is started again too, as
 * whoever runs a cluster does. Confined to one thread.
 */
final class Killer {

  /** What is killed. */
  enum Target {
    MUSTER,
    SCHEDULER,
    APISERVER
  }

  /**
   * A time in which something was away.
   *
   * @param from when it was killed
   * @param to when all was ready again
   */
  record Outage(Instant from, Instant to) {}

  private final Sandbox sandbox;
  private final MusterProcess muster;
  private final Supplier<Instant> clock;
  private final RandomGenerator chance;
  private final List<Target> order = new ArrayList<>();
  private final List<Outage> outages = new ArrayList<>();
  private final Map<Target, Integer> kills = new EnumMap<>(Target.class);
  private final Map<String, Integer> endedAlone = new TreeMap<>();

  Killer(Sandbox sandbox, MusterProcess muster, Supplier<Instant> clock, RandomGenerator chance) {
    this.sandbox = sandbox;
    this.muster = muster;
    this.clock = clock;
    this.chance = chance;
  }

  /** Kills the next one after a while drawn between nothing and twice the pause. */
  void killNext(Duration pause) throws InterruptedException {
    Thread.sleep(chance.nextLong(2 * pause.toMillis() + 1));
    if (order.isEmpty()) {
      order.addAll(List.of(Target.values()));
      Collections.shuffle(order, chance);
    }
    var target = order.removeFirst();
    var from = clock.get();
    switch (target) {
      case MUSTER -> {
        muster.kill();
        muster.start();
      }
      case SCHEDULER -> {
        sandbox.scheduler().kill();
        sandbox.scheduler().restart();
      }
      case APISERVER -> {
        sandbox.kill(Program.APISERVER);
        sandbox.restart(Program.APISERVER);
      }
    }
    revive();
    outages.add(new Outage(from, clock.get()));
    kills.merge(target, 1, Integer::sum);
  }

  /** Starts again whatever has ended; to be called until the end. */
  void revive() {
    if (!muster.isAlive()) {
      note("muster");
      muster.start();
    }
    if (!sandbox.scheduler().process().isAlive()) {
      note("kube-scheduler");
      sandbox.scheduler().restart();
    }
    for (var program : List.of(Program.CONTROLLER_MANAGER, Program.KWOK)) {
      if (!sandbox.isAlive(program)) {
        note(program.name());
        sandbox.restart(program);
      }
    }
  }

  private void note(String process) {
    endedAlone.merge(process, 1, Integer::sum);
  }

  Map<Target, Integer> kills() {
    return Map.copyOf(kills);
  }

  /** What ended without being killed, and how often. */
  Map<String, Integer> endedAlone() {
    return new TreeMap<>(endedAlone);
  }

  List<Outage> outages() {
    return List.copyOf(outages);
  }

  /** The longest part of that time in which nothing was away. */
  static Duration undisturbed(List<Outage> outages, Instant from, Instant to) {
    var longest = Duration.ZERO;
    var since = from;
    for (var outage : outages) {
      if (outage.to().isAfter(since) && outage.from().isBefore(to)) {
        longest = longer(longest, Duration.between(since, outage.from()));
        since = outage.to();
      }
    }
    return since.isBefore(to) ? longer(longest, Duration.between(since, to)) : longest;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
