package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.cache.QueueUsage;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * The order in which gangs wait:
 *
 * <ol>
 *   <li>those with members that have been released and can go nowhere but to their nodes;
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
public final class QueueOrder {

  /** Device seconds from which on a gang has been given one step: one device hour. */
  private static final long FIRST_STEP = 3600;

  private static final long TEN_TIMES = 10;

  private final ClusterState cluster;

  public QueueOrder(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Those of them in their order. */
  public List<GangState> sorted(Collection<GangState> gangs, Instant now) {
    if (gangs.size() < 2) {
      return List.copyOf(gangs);
    }
    var held = cluster.queues().held();
    return gangs.stream().map(gang -> place(gang, held, now)).sorted().map(Place::gang).toList();
  }

  /** Where a gang stands among those of its queue that need as much, until it changes. */
  record Standing(GangState gang, int priority, long ofQueue, Instant since, Instant bornAt) {

    static final Comparator<Standing> OLDEST_FIRST =
        Comparator.comparing(Standing::bornAt).thenComparing(standing -> standing.gang().id);

    /** The order in which they wait but for ageing. */
    static final Comparator<Standing> IN_QUEUE =
        Comparator.comparingInt(Standing::priority)
            .reversed()
            .thenComparingLong(Standing::ofQueue)
            .thenComparing(Standing::since)
            .thenComparing(OLDEST_FIRST);
  }

  Standing standing(GangState gang) {
    var book = cluster.queues();
    var order =
        book.queues().arePlain()
            ? Order.PRIORITY
            : book.queues().find(book.of(gang)).map(Queue::order).orElse(Order.PRIORITY);
    return new Standing(
        gang, gang.priority(), rank(gang, order), since(gang, order), gang.arrivals.bornAt());
  }

  /** The order as it is at this moment; to be used before anything changes. */
  public Comparator<GangState> at(Instant now) {
    var held = cluster.queues().held();
    var places = new IdentityHashMap<GangState, Place>();
    return Comparator.comparing(
        gang -> places.computeIfAbsent(gang, each -> place(each, held, now)));
  }

  /** Works out where it stands, which must not fail for one and so hold up all. */
  void check(GangState gang, ToLongFunction<String> held, Instant now) {
    var _ = place(gang, held, now);
    gang.counts.chosenDevices();
  }

  /** Whether it has waited longer than the ageing of its queue lets it. */
  boolean isAged(GangState gang, Instant now) {
    return !now.isBefore(agesAt(gang));
  }

  /** The same, and it is not held back for an older one, which those of higher priority are not. */
  boolean isFirstByAge(GangState gang, Instant now) {
    return isAged(gang, now) && cluster.queues().heldBack().byTurn(gang).isEmpty();
  }

  /** When it will have waited so long. */
  Instant agesAt(GangState gang) {
    var book = cluster.queues();
    var ofQueue =
        book.queues().arePlain()
            ? Optional.<Duration>empty()
            : book.queues().find(book.of(gang)).flatMap(Queue::ageing);
    return plus(
        gang.arrivals.bornAt(), ofQueue.orElseGet(() -> cluster.rules().waiting().ageing()));
  }

  private static Instant plus(Instant from, Duration time) {
    return from.equals(Instant.MAX) ? from : from.plus(time);
  }

  /**
   * Where one gang stands in the line, worked out once: comparing is most of the work where
   * thousands wait.
   */
  private record Place(
      GangState gang,
      boolean released,
      boolean aged,
      boolean borrows,
      double share,
      String queue,
      long ofQueue,
      Instant since)
      implements Comparable<Place> {

    @Override
    public int compareTo(Place other) {
      if (released != other.released) {
        return released ? -1 : 1;
      }
      if (aged != other.aged) {
        return aged ? -1 : 1;
      }
      int byAge = aged ? gang.arrivals.bornAt().compareTo(other.gang.arrivals.bornAt()) : 0;
      if (byAge != 0) {
        return byAge;
      }
      if (borrows != other.borrows) {
        return borrows ? 1 : -1;
      }
      int byPriority = Integer.compare(other.gang.priority(), gang.priority());
      if (byPriority != 0) {
        return byPriority;
      }
      int byQueue = byQueue(other);
      return byQueue == 0 ? GangState.OLDEST_FIRST.compare(gang, other.gang) : byQueue;
    }

    private int byQueue(Place other) {
      int byShare = Double.compare(share, other.share);
      if (byShare != 0) {
        return byShare;
      }
      int byName = queue.compareTo(other.queue);
      if (byName != 0) {
        return byName;
      }
      int byRank = Long.compare(ofQueue, other.ofQueue);
      return byRank == 0 ? since.compareTo(other.since) : byRank;
    }
  }

  private Place place(GangState gang, ToLongFunction<String> held, Instant now) {
    var book = cluster.queues();
    var name = book.of(gang);
    boolean isReleased = gang.members.isAnyReleased();
    boolean isAged = isAged(gang, now);
    if (book.queues().arePlain()) {
      return new Place(gang, isReleased, isAged, false, 0, Queues.DEFAULT, 0, Instant.MIN);
    }
    var queue = book.queues().find(name).orElseGet(() -> Queue.unbounded(name));
    return new Place(
        gang,
        isReleased,
        isAged,
        !book.queues().isEntitled(name, QueueUsage.needs(gang), held),
        (double) held.applyAsLong(name) / queue.weight(),
        name,
        rank(gang, queue.order()),
        since(gang, queue.order()));
  }

  /** Of those that were given about as much, the ones go first that started first. */
  private static Instant since(GangState gang, Order order) {
    return order == Order.LEAST_ATTAINED
        ? gang.entry.firstStartedAt().orElse(Instant.MAX)
        : Instant.MIN;
  }

  /** The lower, the earlier in a queue of that order. */
  long rank(GangState gang, Order order) {
    return switch (order) {
      case PRIORITY -> 0;
      case SHORTEST_GANG ->
          cluster
              .runTimes()
              .of(gang)
              .map(time -> Bounds.product(time.toSeconds(), Math.max(1, QueueUsage.needs(gang))))
              .orElse(Long.MAX_VALUE);
      case LEAST_ATTAINED -> step(gang.entry.attained());
    };
  }

  /** 0 for less than one device hour, then one more for each time that it is ten times as much. */
  static long step(long deviceSeconds) {
    long step = 0;
    for (long hours = deviceSeconds / FIRST_STEP; hours > 0; hours /= TEN_TIMES) {
      step++;
    }
    return step;
  }
}
