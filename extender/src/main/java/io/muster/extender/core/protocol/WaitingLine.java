package io.muster.extender.core.protocol;

import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.protocol.GangPlans.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The queue of gangs that wait: highest priority first, then oldest; one that does not fit is
 * passed by. Single pods never queue; those refused for want of room are woken when one of them
 * fits.
 */
final class WaitingLine {

  /** Owners need time to make members anew. */
  static final Duration REMADE_APART = Duration.ofSeconds(60);

  /** Single pods that do not fit, and the state of the ledger in which that was found. */
  private final Set<String> singlesTried = new HashSet<>();

  private long singlesTriedIn = -1;

  private final World world;
  private final GangPlans plans;
  private final Reservations reservations;
  private final Barrier barrier;
  private final Losses losses;
  private final LaterRoom later;

  WaitingLine(
      World world,
      GangPlans plans,
      Reservations reservations,
      Barrier barrier,
      Losses losses,
      LaterRoom later) {
    this.world = world;
    this.plans = plans;
    this.reservations = reservations;
    this.barrier = barrier;
    this.losses = losses;
    this.later = later;
  }

  /**
   * Claims and keeps what is due to started gangs, then plans every waiting gang that can go now.
   */
  void advance(Instant now) {
    world.gangs().values().stream()
        .filter(gang -> gang.lostSince.isPresent())
        .sorted(GangState.OLDEST_FIRST)
        .toList()
        .forEach(gang -> losses.advance(gang, now));
    world.gangs().values().forEach(gang -> later.advance(gang, now));
    var waiting =
        world.gangs().values().stream()
            .filter(gang -> gang.isWaiting() && gang.hasLiveMember())
            .sorted(GangState.IN_LINE)
            .toList();
    for (var gang : waiting) {
      if (isReadyToPlan(gang, now)) {
        tryPlan(gang, now);
      }
    }
    wakeSingles();
  }

  private boolean isReadyToPlan(GangState gang, Instant now) {
    return gang.terms.quorum().isPresent()
        && !now.isBefore(gang.holdOffUntil)
        && !isTried(gang, now)
        && gang.headcount.isComplete();
  }

  /** Nothing has changed since that could make it fit. */
  private boolean isTried(GangState gang, Instant now) {
    return gang.tried
        .filter(tried -> tried.room() == world.inventory().generation())
        .filter(tried -> tried.members() == gang.version)
        .filter(tried -> now.isBefore(tried.until()))
        .isPresent();
  }

  /** Whether time alone has made it worth trying again. */
  boolean isDue(GangState gang, Instant now) {
    boolean isTimeUp = gang.tried.filter(tried -> !now.isBefore(tried.until())).isPresent();
    return gang.isWaiting()
        && (gang.failures > 0 || isTimeUp)
        && !now.isBefore(gang.holdOffUntil)
        && !isTried(gang, now);
  }

  private void tryPlan(GangState gang, Instant now) {
    if (reservations.plan(gang, now)) {
      gang.verdict = Optional.empty();
      gang.trigger = Optional.empty();
      barrier.openIfEnough(gang, now);
      return;
    }
    untie(gang, now);
    gang.tried =
        Optional.of(
            new GangState.Tried(
                world.inventory().generation(), gang.version, nextChance(gang, now)));
  }

  /** When time alone may make it fit: a node is forgiven, or members may be made anew. */
  private static Instant nextChance(GangState gang, Instant now) {
    return Stream.concat(
            gang.excludedUntil.values().stream(), Stream.of(gang.remadeAt.plus(REMADE_APART)))
        .filter(at -> at.isAfter(now))
        .min(Instant::compareTo)
        .orElse(Instant.MAX);
  }

  /** Says why a gang does not fit, once for each failure. */
  void explain(GangState gang, Instant now) {
    if (!gang.isWaiting() || gang.tried.isEmpty() || gang.tried.equals(gang.explained)) {
      return;
    }
    gang.explained = gang.tried;
    if (gang.headcount.isComplete()) {
      reservations.explain(gang, now);
    }
  }

  /**
   * Where only the nodes that members were tied to keep a gang from starting, those members are
   * made anew by their owner.
   */
  private void untie(GangState gang, Instant now) {
    var members = gang.headcount.chosen();
    if (now.isBefore(gang.remadeAt.plus(REMADE_APART))
        || members.stream().allMatch(pod -> pod.origin().pinning().pin().isEmpty())) {
      return;
    }
    var nodes =
        plans.place(
            gang,
            members.stream()
                .map(pod -> new Wanted(Wanted.of(gang, pod).gang(), pod.shape()))
                .toList(),
            now);
    if (nodes.isEmpty()) {
      return;
    }
    gang.remadeAt = now;
    for (int i = 0; i < members.size(); i++) {
      var node = nodes.get().get(i);
      var pod = members.get(i);
      boolean isStuck =
          pod.origin().pinning().pin().filter(pin -> !pin.nodes().contains(node)).isPresent();
      if (isStuck && pod.origin().controllerUid().isPresent()) {
        world.emit(
            new Effect.Remake(
                pod.key(),
                "gang %s has room elsewhere than on the nodes this member was tied to"
                    .formatted(gang.id)));
      }
    }
  }

  private void wakeSingles() {
    if (world.inventory().generation() != singlesTriedIn) {
      singlesTriedIn = world.inventory().generation();
      singlesTried.clear();
    }
    for (var pod : List.copyOf(world.refusedSingles().values())) {
      var uid = pod.key().uid();
      if (world.pod(uid).filter(known -> !known.isBound() && !known.isTerminal()).isEmpty()) {
        world.refusedSingles().remove(uid);
        continue;
      }
      if (!singlesTried.add(uid)) {
        continue;
      }
      var verdict =
          world
              .planner()
              .decide(
                  world.inventory().snapshot(), GangRequest.of(List.of(pod.demand()), Set.of()));
      if (verdict instanceof Verdict.Placed) {
        world.refusedSingles().remove(uid);
        singlesTried.remove(uid);
        world.wake(pod.key());
      }
    }
  }
}
