package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The queue of gangs that wait: oldest first, one that does not fit is passed by. Planning order:
 * reservation first, then one wake per refused member, gates last. Single pods never queue; those
 * refused for want of room are woken when one of them fits.
 */
final class WaitingLine {

  private static final Comparator<GangState> OLDEST_FIRST =
      Comparator.comparing((GangState gang) -> gang.bornAt).thenComparing(gang -> gang.id);

  private final World world;
  private final Reservations reservations;

  WaitingLine(World world, Reservations reservations) {
    this.world = world;
    this.reservations = reservations;
  }

  /** Plans every waiting gang that can go now. */
  void advance(Instant now) {
    var waiting =
        world.gangs().values().stream()
            .filter(gang -> gang.isWaiting() && gang.hasLiveMember())
            .sorted(OLDEST_FIRST)
            .toList();
    for (var gang : waiting) {
      if (isReadyToPlan(gang, now)) {
        tryPlan(gang, now);
      }
    }
    wakeSingles();
  }

  private boolean isReadyToPlan(GangState gang, Instant now) {
    return gang.terms.isPresent()
        && !namesOtherGangs(gang)
        && !now.isBefore(gang.holdOffUntil)
        && gang.candidates().size() >= gang.needed();
  }

  private void tryPlan(GangState gang, Instant now) {
    switch (reservations.plan(gang, now)) {
      case Verdict.Placed _ -> {
        gang.verdict = Optional.empty();
        gang.trigger = Optional.empty();
        gang.candidates().stream()
            .sorted(Comparator.comparing(Pod::isGated))
            .forEach(pod -> reservations.letGo(gang, pod));
      }
      case Verdict.NoRoom noRoom -> {
        gang.verdict = Optional.of(noRoom.tally());
        gang.trigger = Optional.of(gang.candidates().get(noRoom.member()).key().name());
      }
    }
  }

  private void wakeSingles() {
    for (var pod : List.copyOf(world.refusedSingles().values())) {
      var uid = pod.key().uid();
      if (world.pod(uid).filter(known -> !known.isBound() && !known.isTerminal()).isEmpty()) {
        world.refusedSingles().remove(uid);
        continue;
      }
      var verdict =
          world
              .planner()
              .decide(
                  world.inventory().snapshot(), GangRequest.of(List.of(pod.demand()), Set.of()));
      if (verdict instanceof Verdict.Placed) {
        world.refusedSingles().remove(uid);
        world.wake(pod.key());
      }
    }
  }

  /**
   * Whether a member about to be stored could not start now and had better be gated. A hint: a
   * wrong answer costs a retry or an ungating, never correctness.
   */
  boolean mustWait(Pod pod, Instant now) {
    var membership = pod.membership();
    if (membership.isEmpty() || !(membership.get().terms() instanceof Terms.Usable usable)) {
      return false;
    }
    var known = Optional.ofNullable(world.gangs().get(membership.get().gang()));
    boolean alive = known.filter(GangState::hasLiveMember).isPresent();
    var gang = known.filter(_ -> alive);
    if (gang.filter(g -> !g.isWaiting()).isPresent()) {
      return false;
    }
    int needed =
        gang.map(GangState::needed)
            .filter(n -> n <= Terms.MAX_MEMBERS)
            .orElse(usable.minAvailable());
    var members = new ArrayList<>(gang.map(GangState::candidates).orElse(List.of()));
    members.add(pod);
    boolean complete = members.size() >= needed;
    if (gang.filter(g -> now.isBefore(g.holdOffUntil) || (g.speculated && !complete)).isPresent()) {
      return true;
    }
    var verdict =
        world
            .planner()
            .decide(
                world.inventory().snapshot(),
                GangRequest.of(
                    Reservations.padded(members, needed),
                    gang.map(g -> g.excluded(now)).orElse(Set.of())));
    return verdict instanceof Verdict.NoRoom;
  }

  /** Starting several gangs together is not built yet; such gangs are never placed singly. */
  static boolean namesOtherGangs(GangState gang) {
    return gang.terms
        .filter(terms -> terms.groups().stream().anyMatch(name -> !name.equals(gang.id.toString())))
        .isPresent();
  }
}
