package io.muster.extender.core.protocol;

import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The order in which gangs wait:
 *
 * <ol>
 *   <li>those that have waited longer than ageing lets them, the oldest first;
 *   <li>those whose queue would hold no more than its quota, before those that would borrow;
 *   <li>by priority;
 *   <li>by queue, the one that holds least for its weight first;
 *   <li>by the order of their queue;
 *   <li>by age.
 * </ol>
 *
 * Confined to the decision thread.
 */
final class Line {

  /** Device seconds that count as one step of what a gang has been given: one device hour. */
  private static final long STEP = 3600;

  private final World world;

  Line(World world) {
    this.world = world;
  }

  /** Those of them in their order. */
  List<GangState> sorted(Collection<GangState> gangs, Instant now) {
    return gangs.stream().sorted(at(now)).toList();
  }

  /** The order as it is at this moment; to be used before anything changes. */
  Comparator<GangState> at(Instant now) {
    var aged =
        Comparator.comparing((GangState gang) -> !isAged(gang, now))
            .thenComparing(gang -> isAged(gang, now) ? gang.bornAt : Instant.MAX);
    if (world.queues().queues().arePlain()) {
      return aged.thenComparing(GangState.IN_LINE);
    }
    var held = world.queues().held();
    var places = new IdentityHashMap<GangState, Place>();
    return aged.thenComparing(
            gang -> places.computeIfAbsent(gang, each -> place(each, held)), Place.ORDER)
        .thenComparing(GangState.OLDEST_FIRST);
  }

  private boolean isAged(GangState gang, Instant now) {
    return !now.isBefore(plus(gang.bornAt, world.rules().waiting().ageing()));
  }

  private static Instant plus(Instant from, Duration time) {
    return from.equals(Instant.MAX) ? from : from.plus(time);
  }

  private record Place(boolean borrows, int priority, double share, String queue, long ofQueue) {

    static final Comparator<Place> ORDER =
        Comparator.comparing(Place::borrows)
            .thenComparing(Comparator.comparingInt(Place::priority).reversed())
            .thenComparingDouble(Place::share)
            .thenComparing(Place::queue)
            .thenComparingLong(Place::ofQueue);
  }

  private Place place(GangState gang, ToLongFunction<String> held) {
    var book = world.queues();
    var name = book.of(gang);
    var queue = book.queues().find(name).orElseGet(() -> Queue.unbounded(name));
    return new Place(
        !book.queues().isEntitled(name, QueueBook.needs(gang), held),
        gang.priority,
        (double) held.applyAsLong(name) / queue.weight(),
        name,
        rank(gang, queue.order()));
  }

  /** The lower, the earlier in a queue of that order. */
  long rank(GangState gang, Order order) {
    return switch (order) {
      case PRIORITY -> 0;
      case SHORTEST_GANG ->
          world
              .queues()
              .runTime(gang)
              .map(time -> time.toSeconds() * Math.max(1, QueueBook.needs(gang)))
              .orElse(Long.MAX_VALUE);
      case LEAST_ATTAINED -> step(gang.entry.attained);
    };
  }

  /** 0 for less than one device hour, then one more with each doubling. */
  static long step(long deviceSeconds) {
    return 64L - Long.numberOfLeadingZeros(deviceSeconds / STEP);
  }
}
