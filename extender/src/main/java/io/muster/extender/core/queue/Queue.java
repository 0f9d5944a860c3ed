package io.muster.extender.core.queue;

import io.muster.extender.core.bounds.Bounds;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * One queue. Devices are accelerators that Muster manages, of every name, in whole units.
 * Immutable.
 *
 * @param weight share beside queues of the same standing, at least 1
 * @param quota devices that are its own; others may borrow them while they are idle. Empty: there
 *     is no quota, and nothing counts as borrowed
 * @param limit most devices it may hold, borrowed ones included; empty: none
 * @param preempts whether its gangs end each other by its order; not by {@link Order#PRIORITY}
 * @param runTime taken for gangs that say nothing about theirs; empty: not known
 * @param runTimeLimit its gangs are ended when they have run so long; empty: never
 * @param ageing a gang of it that has waited this long goes before all priorities; empty: as long
 *     as is set for all
 * @param namespaces whose pods belong to it unless they name another, and which alone may name it;
 *     with {@link #ANY} among them, and where there are none, pods of all namespaces may name it
 */
public record Queue(
    String name,
    int weight,
    Optional<Long> quota,
    Optional<Long> limit,
    Order order,
    boolean preempts,
    Optional<Duration> runTime,
    Optional<Duration> runTimeLimit,
    Optional<Duration> ageing,
    Set<String> namespaces) {

  /** So long that nobody lives to see it. */
  public static final Duration NEVER = Duration.ofDays(36_500);

  /** In {@code namespaces}: pods of every namespace may name the queue. */
  public static final String ANY = "*";

  public Queue {
    runTime = runTime.map(stated -> Bounds.within(stated, Bounds.LONGEST_RUN));
    runTimeLimit = runTimeLimit.map(stated -> Bounds.within(stated, Bounds.LONGEST_RUN));
    ageing = ageing.map(stated -> Bounds.within(stated, NEVER));
    namespaces = Set.copyOf(namespaces);
  }

  /** A queue whose gangs may run as long as they like. */
  public Queue(
      String name,
      int weight,
      Optional<Long> quota,
      Optional<Long> limit,
      Order order,
      boolean preempts,
      Optional<Duration> runTime,
      Optional<Duration> ageing,
      Set<String> namespaces) {
    this(
        name, weight, quota, limit, order, preempts, runTime, Optional.empty(), ageing, namespaces);
  }

  /** The same, and they age as all do. */
  public Queue(
      String name,
      int weight,
      Optional<Long> quota,
      Optional<Long> limit,
      Order order,
      boolean preempts,
      Optional<Duration> runTime,
      Set<String> namespaces) {
    this(name, weight, quota, limit, order, preempts, runTime, Optional.empty(), namespaces);
  }

  /** Whether pods of that namespace may name it. */
  boolean letsIn(String namespace) {
    return namespaces.isEmpty() || namespaces.contains(ANY) || namespaces.contains(namespace);
  }

  /** A queue of that name without bounds. */
  public static Queue unbounded(String name) {
    return new Queue(
        name,
        1,
        Optional.empty(),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of());
  }
}
