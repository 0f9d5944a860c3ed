package io.muster.faults;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.faults.TwoMusters.Replica;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * One loss of the leader while a gang of four is on its way, with room for it and one GPU more that
 * tempts to place twice, and a gang of four beside it with room for half of it. Confined to one
 * thread.
 */
public final class LeaderRun {

  private static final int MEMBERS = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofSeconds(3);

  /**
   * What was seen.
   *
   * @param boundAtLoss members bound when the leader was lost
   * @param taken from the loss until kube-scheduler was led to the other
   * @param whole from the loss until every member was bound
   * @param inPart longest time in which some, but not all, were bound
   * @param faults sentences; empty if all is well
   */
  public record Outcome(
      LeaderSpot spot,
      long boundAtLoss,
      Duration taken,
      Duration whole,
      Duration inPart,
      List<String> faults) {

    public Outcome {
      faults = List.copyOf(faults);
    }

    static Outcome failed(LeaderSpot spot, String fault) {
      return new Outcome(spot, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, List.of(fault));
    }
  }

  private final TwoMusters musters;
  private final GangWatch watch;
  private final InstantSource clock;
  private final TestSpace space;
  private final TestSpace narrow;
  private final GangManifest gang;
  private final GangManifest half;
  private final List<String> faults = new ArrayList<>();

  private LeaderRun(
      TwoMusters musters, GangWatch watch, InstantSource clock, TestSpace space, TestSpace narrow) {
    this.musters = musters;
    this.watch = watch;
    this.clock = clock;
    this.space = space;
    this.narrow = narrow;
    this.gang = GangManifest.of(space, "train", MEMBERS);
    this.half = GangManifest.of(narrow, "half", MEMBERS);
  }

  /** Runs it once and waits until both processes answer again. */
  public static Outcome of(
      TwoMusters musters, GangWatch watch, InstantSource clock, LeaderSpot spot) {
    musters.settle();
    var leader = musters.leader().orElseThrow();
    try (var space = TestSpace.open(musters.sandbox(), "leader");
        var narrow = TestSpace.open(musters.sandbox(), "leader-half")) {
      return new LeaderRun(musters, watch, clock, space, narrow).run(spot, leader);
    } finally {
      leader.toApiServer().passAll();
      musters.settle();
    }
  }

  private Outcome run(LeaderSpot spot, Replica leader) {
    space.nodes(MEMBERS + 1, NodeShape.GPU1);
    narrow.nodes(MEMBERS / 2, NodeShape.GPU1);
    half.create();
    return switch (spot) {
      case KILLED_AT_THE_BARRIER -> atTheBarrier(spot, leader, () -> leader.process().kill());
      case ENDED_AT_THE_BARRIER ->
          atTheBarrier(spot, leader, () -> leader.process().terminate(LIMIT));
      case LEASE_NOT_RENEWED -> atTheBarrier(spot, leader, () -> refuseRenewals(leader));
      case PAUSED_BETWEEN_BINDINGS -> betweenBindings(spot, leader);
    };
  }

  /** The last member is made only when the leader is gone, so that its siblings are held. */
  private Outcome atTheBarrier(LeaderSpot spot, Replica leader, Runnable loss) {
    gang.createUntilHeld(MEMBERS - 1, leader.process()::heldBinds);
    var lost = clock.instant();
    loss.run();
    var taken = awaitOther(leader, lost);
    gang.endStandIn();
    gang.createPatiently(LIMIT);
    return end(spot, 0, lost, taken);
  }

  private Outcome betweenBindings(LeaderSpot spot, Replica leader) {
    var sent = new AtomicInteger();
    var waiting = new CountDownLatch(2);
    var awake = new CountDownLatch(1);
    leader
        .toApiServer()
        .interfere(call -> {
          if (call.isBindingOf(space.namespace()) && sent.incrementAndGet() > 2) {
            waiting.countDown();
            await(awake);
          }
          return Optional.empty();
        });
    gang.create();
    await(waiting);
    Await.until("the first two to be bound", LIMIT, () -> gang.bound() == 2);
    var lost = clock.instant();
    leader.process().freeze();
    Duration taken;
    try {
      taken = awaitOther(leader, lost);
      awaitWhole();
    } finally {
      awake.countDown();
      leader.process().resume();
    }
    var outcome = end(spot, 2, lost, taken);
    Await.until("the first to follow", LIMIT, () -> !musters.leads(leader));
    return outcome;
  }

  private static void refuseRenewals(Replica leader) {
    leader
        .toApiServer()
        .interfere(call ->
            call.path().contains("/leases/muster") && !call.method().equals("GET")
                ? Optional.of(new HttpCall.Reply(503, "{}"))
                : Optional.empty());
  }

  private Duration awaitOther(Replica leader, Instant lost) {
    Await.until(
        "the other to lead",
        LIMIT,
        () -> musters.leader().filter(now -> !now.equals(leader)).isPresent());
    return Duration.between(lost, clock.instant());
  }

  private void awaitWhole() {
    if (!Await.within(LIMIT, () -> watch.everBound(gang.gang()).size() == MEMBERS)) {
      faults.add("%d of %d members were bound".formatted(gang.bound(), MEMBERS));
    }
  }

  private Outcome end(LeaderSpot spot, int boundAtLoss, Instant lost, Duration taken) {
    awaitWhole();
    var whole = Duration.between(lost, lastBound());
    var places = places();
    // Long enough for whatever the lost leader still has under way.
    boolean changed = Await.within(LOOK, () -> !places.equals(places()));
    if (changed) {
      faults.add("places were %s, then %s".formatted(places, places()));
    }
    if (watch.everBound(gang.gang()).size() != MEMBERS || gang.running() != MEMBERS) {
      faults.add("%d members run".formatted(gang.running()));
    }
    if (!watch.everBound(half.gang()).isEmpty()) {
      faults.add("of a gang without room for all some were bound");
    }
    faults.addAll(Capacity.exceeded(space));
    faults.addAll(Capacity.exceeded(narrow));
    return new Outcome(
        spot,
        boundAtLoss,
        taken,
        whole,
        watch.longestInPart(gang.gang(), MEMBERS, Instant.MIN),
        faults);
  }

  private Instant lastBound() {
    var levels = watch.levels(gang.gang());
    return levels.isEmpty() ? clock.instant() : levels.getLast().at();
  }

  private List<String> places() {
    return gang.stored().stream()
        .sorted((a, b) -> a.getMetadata().getName().compareTo(b.getMetadata().getName()))
        .map(LeaderRun::place)
        .collect(Collectors.toList());
  }

  private static String place(Pod pod) {
    return pod.getMetadata().getUid() + "@" + pod.getSpec().getNodeName();
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new SandboxException("waited " + LIMIT.toSeconds() + " s in vain");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("the wait was interrupted", e);
    }
  }
}
