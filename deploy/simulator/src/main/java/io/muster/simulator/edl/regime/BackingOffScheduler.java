package io.muster.simulator.edl.regime;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * kube-scheduler as far as it matters: pods one by one, the oldest first, each to the node with
 * room that it prefers, ties drawn; a pod that fits nowhere is tried again later and later.
 * Confined to one thread.
 */
public final class BackingOffScheduler {

  private static final int SCORES = 10;
  private static final int PERCENT = 100;

  /**
   * How long a pod waits for its next try.
   *
   * @param longest seconds
   * @param isWoken whether it is tried only once a pod has gone since
   */
  record Retry(int longest, boolean isWoken) {

    /** As the stack of 2017 did it. */
    static final Retry OF_2017 = new Retry(60, false);

    /** As it is done now: room that comes free wakes those that wait, ten seconds at most apart. */
    static final Retry OF_TODAY = new Retry(10, true);
  }

  private final World world;
  private final Retry retry;

  /** Which of the nodes with room takes a pod. */
  public enum Preference {
    /** The emptiest, as by default in 2017. */
    EMPTIEST,
    /**
     * Of those with the fewest pods of the service the emptiest, as by default now: a service is
     * spread first, and that counts twice.
     */
    SPREAD,
    /** The fullest, as kube-scheduler can be told to. */
    FULLEST
  }

  private final Preference preference;

  BackingOffScheduler(World world, Retry retry, Preference preference) {
    this.world = world;
    this.retry = retry;
    this.preference = preference;
  }

  /** Gives a node to each of these that is due and fits. */
  void schedule(Stream<ReplayPod> pods) {
    pods.filter(pod -> !pod.isBound() && pod.retryAt <= world.now)
        .sorted(Comparator.comparingInt(pod -> pod.number))
        .toList()
        .forEach(this::schedule);
  }

  private void schedule(ReplayPod pod) {
    if (retry.isWoken() && pod.nextWait > 1 && pod.seenFreed == world.freed) {
      return;
    }
    best(pod)
        .ifPresentOrElse(
            machine -> world.bind(pod, machine),
            () -> {
              pod.seenFreed = world.freed;
              pod.retryAt = world.now + pod.nextWait;
              pod.nextWait = Math.min(2 * pod.nextWait, retry.longest());
            });
  }

  private int score(EdlMachine machine, ReplayPod pod) {
    int left = machine.freeCpu - pod.cpuMillis;
    return switch (preference) {
      case EMPTIEST -> SCORES * left / machine.cpuMillis;
      case SPREAD -> PERCENT * left / machine.cpuMillis - PERCENT * machine.services;
      case FULLEST -> PERCENT - PERCENT * left / machine.cpuMillis;
    };
  }

  private Optional<EdlMachine> best(ReplayPod pod) {
    int best = Integer.MIN_VALUE;
    List<EdlMachine> equals = new ArrayList<>();
    for (var machine : world.machines) {
      if (machine.hasRoomFor(pod)) {
        int score = score(machine, pod);
        if (score > best) {
          best = score;
          equals.clear();
        }
        if (score == best) {
          equals.add(machine);
        }
      }
    }
    return equals.isEmpty()
        ? Optional.empty()
        : Optional.of(equals.get(world.random.nextInt(equals.size())));
  }
}
