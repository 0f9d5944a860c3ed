package io.muster.faults;

import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One kill among four gangs of four that start at once, each in a namespace and on nodes of its
 * own: two of plain pods and one of a Job, which have room, and one with room for half of it. The
 * kill happens at a point in the way of one of the first three. Confined to one thread.
 */
public final class KillRun {

  private static final int MEMBERS = 4;
  private static final Duration FIRE_LIMIT = Duration.ofSeconds(60);
  private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(60);
  private static final Duration LOOK_LIMIT = Duration.ofSeconds(10);

  /**
   * What was seen.
   *
   * @param boundAtKill members of the gang aimed at that were bound when the kill had ended
   * @param ready from the kill until what was killed is ready again
   * @param whole from then until every gang with room was whole
   * @param inPart longest time, after that readiness, that a gang was there in part
   * @param faults sentences; empty if all is well
   */
  public record Outcome(
      KillSpot spot,
      long seed,
      long boundAtKill,
      Duration ready,
      Duration whole,
      Duration inPart,
      List<String> faults) {

    public Outcome {
      faults = List.copyOf(faults);
    }

    static Outcome failed(KillSpot spot, long seed, String fault) {
      return new Outcome(
          spot, seed, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, List.of(fault));
    }
  }

  private final ProxiedMuster muster;
  private final GangWatch watch;
  private final InstantSource clock;
  private final List<TestSpace> spaces = new ArrayList<>();
  private final List<GangManifest> roomy = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  private KillRun(ProxiedMuster muster, GangWatch watch, InstantSource clock) {
    this.muster = muster;
    this.watch = watch;
    this.clock = clock;
  }

  /** Runs it once; the seed decides about the rest of the chance. */
  public static Outcome of(
      ProxiedMuster muster, GangWatch watch, InstantSource clock, KillSpot spot, long seed) {
    var run = new KillRun(muster, watch, clock);
    try {
      return run.run(spot, seed);
    } finally {
      spot.proxy(muster).disarm();
      run.spaces.forEach(TestSpace::close);
    }
  }

  private Outcome run(KillSpot spot, long seed) {
    var chance = new SplittableRandom(seed);
    for (var name : List.of("bare", "plain", "job")) {
      roomy.add(GangManifest.of(space(spot, name, MEMBERS), name, MEMBERS));
    }
    var cramped = GangManifest.of(space(spot, "half", MEMBERS / 2), "half", MEMBERS);
    var target = roomy.get(chance.nextInt(roomy.size()));
    var point = spot.point(target.gang().namespace(), chance);
    var killed =
        spot.proxy(muster)
            .arm(
                point,
                () -> {
                  if (spot.isBetweenBindings()) {
                    awaitBound(target, point.nth() - 1);
                  }
                  kill(spot);
                });
    var created = new ArrayList<Future<?>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      roomy.stream()
          .filter(gang -> !gang.name().equals("job"))
          .forEach(gang -> created.add(threads.submit(() -> gang.createPatiently(FIRE_LIMIT))));
      created.add(threads.submit(roomy.getLast()::createJob));
      created.add(threads.submit(() -> cramped.createPatiently(FIRE_LIMIT)));
      Instant killedAt;
      try {
        killedAt = await(killed);
      } catch (SandboxException e) {
        return Outcome.failed(spot, seed, "the point was not reached: " + e.getMessage());
      }
      var boundAtKill = target.bound();
      restart(spot);
      var readyAt = clock.instant();
      created.forEach(KillRun::await);
      var wholeAt = awaitWhole(readyAt);
      lookAtTheEnd(cramped, readyAt);
      return new Outcome(
          spot,
          seed,
          boundAtKill,
          Duration.between(killedAt, readyAt),
          Duration.between(readyAt, wholeAt),
          longestInPart(readyAt),
          faults);
    }
  }

  private Instant awaitWhole(Instant readyAt) {
    for (var gang : roomy) {
      var left = RECOVERY_LIMIT.minus(Duration.between(readyAt, clock.instant()));
      if (!Await.within(left.isNegative() ? Duration.ZERO : left, () -> started(gang) == MEMBERS)) {
        faults.add("%s: %d of %d members started".formatted(gang.gang(), started(gang), MEMBERS));
      }
    }
    return clock.instant();
  }

  private Duration longestInPart(Instant readyAt) {
    return roomy.stream()
        .map(gang -> watch.longestInPart(gang.gang(), MEMBERS, readyAt))
        .max(Duration::compareTo)
        .orElseThrow();
  }

  private void awaitBound(GangManifest target, int members) {
    if (!Await.within(LOOK_LIMIT, () -> target.bound() == members)) {
      faults.add(
          "%d members were to be bound before the kill, %d were"
              .formatted(members, target.bound()));
    }
  }

  private void kill(KillSpot spot) {
    if (spot.killsScheduler()) {
      muster.sandbox().scheduler().kill();
    } else {
      muster.process().kill();
    }
  }

  private void restart(KillSpot spot) {
    if (spot.killsScheduler()) {
      muster.sandbox().scheduler().restart();
    } else {
      muster.process().start();
    }
  }

  private void lookAtTheEnd(GangManifest cramped, Instant readyAt) {
    for (var gang : roomy) {
      if (!Await.within(LOOK_LIMIT, () -> gang.running() == MEMBERS)) {
        faults.add("%s: %d of %d members run".formatted(gang.gang(), gang.running(), MEMBERS));
      }
    }
    if (!watch.everBound(cramped.gang()).isEmpty() || cramped.bound() != 0) {
      faults.add("%s has no room for all, yet some were bound".formatted(cramped.gang()));
    }
    if (longestInPart(readyAt).compareTo(RECOVERY_LIMIT) > 0) {
      faults.add("a gang was there in part for " + longestInPart(readyAt));
    }
    spaces.forEach(space -> faults.addAll(Capacity.exceeded(space)));
  }

  private int started(GangManifest gang) {
    var levels = watch.levels(gang.gang());
    return levels.isEmpty() ? 0 : levels.getLast().started();
  }

  private TestSpace space(KillSpot spot, String name, int nodes) {
    var space = TestSpace.open(muster.sandbox(), spot.name() + "-" + name);
    spaces.add(space);
    space.nodes(nodes, NodeShape.GPU1);
    return space;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.get(FIRE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new SandboxException(String.valueOf(e.getCause().getMessage()), e.getCause());
    } catch (TimeoutException e) {
      throw new SandboxException("waited " + FIRE_LIMIT.toSeconds() + " s in vain", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("the wait was interrupted", e);
    }
  }
}
