package io.muster.extender.core.protocol;

import io.muster.extender.core.protocol.Claim.Kind;
import io.muster.extender.core.protocol.LineEntry.Withheld;
import io.muster.extender.core.protocol.RunningUnits.Unit;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Ends gangs, each as a whole, and pods without a gang, so that a gang can start that comes before
 * them:
 *
 * <ul>
 *   <li>those of lower priority;
 *   <li>for a gang within its queue's quota, those of queues that have borrowed;
 *   <li>in a queue that wants it so, those that its order puts clearly behind.
 * </ul>
 *
 * Of all that would do, those of lowest priority go, then the youngest, then those with least to
 * lose; none that the others make needless. The room is claimed for the gang before anybody ends.
 * Nothing ends for a gang that would not fit then. Confined to the decision thread.
 */
final class Preemption {

  private static final Duration AFTER_GRACE = Duration.ofSeconds(30);
  private static final Duration TRIED_APART = Duration.ofSeconds(10);

  /** What runs for less is left alone by the order of its queue: starting costs as much. */
  private static final Duration LEFT_ALONE = Duration.ofMinutes(10);

  private static final int TWICE = 2;

  private static final Comparator<Unit> CHEAPEST_FIRST =
      Comparator.comparingInt(Unit::priority)
          .thenComparing(Comparator.comparing(Unit::startedAt).reversed())
          .thenComparingLong(Unit::devices)
          .thenComparing(Unit::name);

  private final World world;
  private final Claims claims;
  private final Losses losses;
  private final Line line;

  Preemption(World world, Claims claims, Losses losses, Line line) {
    this.world = world;
    this.claims = claims;
    this.losses = losses;
    this.line = line;
  }

  /** Whether time alone has made it worth a look. */
  boolean isTimeUp(Instant now) {
    return world.gangs().values().stream().anyMatch(gang -> isDue(gang, now));
  }

  private boolean isDue(GangState gang, Instant now) {
    var rules = world.rules().waiting();
    return rules.preempts()
        && gang.isWaiting()
        && gang.entry.preempts
        && gang.entry.withheld.isEmpty()
        && gang.entry.claim.filter(claim -> claim.kind == Kind.PREEMPTION).isEmpty()
        && !now.isBefore(gang.entry.preemptAgainAt)
        && gang.entry
            .unfitSince
            .filter(since -> !now.isBefore(since.plus(rules.preemptAfter())))
            .isPresent();
  }

  /** Makes room for the first of these that is due, if it can be made. */
  void advance(List<GangState> waiting, Instant now) {
    for (var gang : waiting) {
      if (isDue(gang, now) && gang.headcount.isComplete()) {
        gang.entry.preemptAgainAt = now.plus(TRIED_APART);
        var victims = victims(gang, now);
        if (!victims.isEmpty() && makeRoom(gang, victims, now)) {
          return;
        }
      }
    }
  }

  private boolean makeRoom(GangState gang, List<Unit> victims, Instant now) {
    var grace =
        victims.stream()
            .map(unit -> RunningUnits.grace(unit.pods()))
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    var until = now.plus(grace).plus(AFTER_GRACE);
    var claim = claims.claim(gang, Kind.PREEMPTION, victims, until, now);
    if (claim.isEmpty()) {
      return false;
    }
    claims.give(gang, claim.get());
    gang.entry.preemptAgainAt = until;
    claim.get().expected = Optional.of(now.plus(grace));
    long devices = victims.stream().mapToLong(Unit::devices).sum();
    gang.entry.withheld =
        Optional.of(
            new Withheld(
                Reason.PREEMPTING,
                "%d devices come free for it: %s end".formatted(devices, shown(victims)),
                ""));
    for (var unit : victims) {
      losses.endFor(unit.gang(), unit.pods(), gang.id, now);
    }
    claims.hold();
    return true;
  }

  private static String shown(List<Unit> victims) {
    long gangs = victims.stream().filter(unit -> unit.gang().isPresent()).count();
    long pods = victims.size() - gangs;
    var parts = new ArrayList<String>();
    if (gangs > 0) {
      parts.add(gangs == 1 ? "1 gang" : gangs + " gangs");
    }
    if (pods > 0) {
      parts.add(pods == 1 ? "1 pod" : pods + " pods");
    }
    return String.join(" and ", parts);
  }

  /** Those to be ended, empty if that would not make room. */
  List<Unit> victims(GangState gang, Instant now) {
    var candidates =
        claims.running().all(now).stream()
            .filter(unit -> mayEnd(unit, gang, now))
            .sorted(CHEAPEST_FIRST)
            .toList();
    int needed = candidates.isEmpty() ? -1 : claims.fewest(gang, candidates, now);
    if (needed <= 0) {
      return List.of();
    }
    var victims = new ArrayList<>(candidates.subList(0, needed));
    var wanted = Reservations.wanted(gang);
    for (int i = victims.size() - TWICE; i >= 0; i--) {
      var spared = victims.remove(i);
      if (claims.asIfGone(gang, victims, wanted, now).isEmpty()) {
        victims.add(i, spared);
      }
    }
    return victims;
  }

  private boolean mayEnd(Unit unit, GangState gang, Instant now) {
    if (!unit.ours()
        || unit.isEnding()
        || unit.gang().filter(other -> other == gang || !other.satisfied).isPresent()) {
      return false;
    }
    return unit.priority() < gang.priority || isLent(unit, gang) || isBehind(unit, gang, now);
  }

  /** Whether it runs on what its queue has borrowed, and the gang asks for what is its queue's. */
  private boolean isLent(Unit unit, GangState gang) {
    var book = world.queues();
    var queue = book.of(gang);
    if (book.queues().arePlain() || queue.equals(unit.queue())) {
      return false;
    }
    var held = book.held();
    return book.queues().find(queue).flatMap(Queue::quota).isPresent()
        && book.queues().isEntitled(queue, QueueBook.needs(gang), held)
        && book.queues().borrows(unit.queue(), held);
  }

  private boolean isBehind(Unit unit, GangState gang, Instant now) {
    var book = world.queues();
    var name = book.of(gang);
    var queue = book.queues().find(name).filter(q -> q.preempts() && name.equals(unit.queue()));
    if (queue.isEmpty()
        || unit.priority() > gang.priority
        || now.isBefore(unit.startedAt().plus(LEFT_ALONE))) {
      return false;
    }
    return switch (queue.get().order()) {
      case PRIORITY -> false;
      case SHORTEST_GANG -> {
        long own = line.rank(gang, Order.SHORTEST_GANG);
        yield own < Long.MAX_VALUE
            && unit.end()
                .filter(
                    end -> Duration.between(now, end).toSeconds() * unit.devices() > TWICE * own)
                .isPresent();
      }
      case LEAST_ATTAINED -> {
        long before = unit.gang().map(other -> other.entry.attained).orElse(0L);
        yield Line.step(before + unit.given(now)) > Line.step(gang.entry.attained) + 1;
      }
    };
  }
}
