package io.muster.extender.core.queue;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * All queues, by name; {@value #DEFAULT} is always among them. Immutable.
 *
 * <p>Borrowing: a queue with a quota may take more than it as long as all queues with quotas
 * together then hold no more than the sum of the quotas. What is its own a queue may always take,
 * whoever has borrowed it.
 *
 * <p>A pod that names a queue which does not let its namespace in, or which there is not, does not
 * start, and where it runs all the same it counts in the queue of its namespace. A default queue
 * that is not configured lets in only namespaces that belong to no other: it has no bounds, which
 * would be a way around theirs.
 */
public final class Queues {

  /** The queue of pods that name none in namespaces that belong to none. */
  public static final String DEFAULT = "default";

  /** The default queue alone, without bounds. */
  public static final Queues NONE = new Queues(List.of());

  private final SortedMap<String, Queue> queues = new TreeMap<>();
  private final Map<String, String> byNamespace = new TreeMap<>();
  private final boolean isDefaultConfigured;

  public Queues(Collection<Queue> configured) {
    queues.put(DEFAULT, Queue.unbounded(DEFAULT));
    for (var queue : configured) {
      queues.put(queue.name(), queue);
      queue.namespaces().stream()
          .filter(namespace -> !namespace.equals(Queue.ANY))
          .forEach(namespace -> byNamespace.put(namespace, queue.name()));
    }
    isDefaultConfigured = configured.stream().anyMatch(queue -> queue.name().equals(DEFAULT));
  }

  /** Whether there is nothing to compare but priority and age. */
  public boolean arePlain() {
    return queues.size() == 1 && queues.get(DEFAULT).equals(Queue.unbounded(DEFAULT));
  }

  /** The name of the queue that a pod of that namespace counts in. */
  public String nameFor(String namespace, Optional<String> stated) {
    return stated
        .filter(name -> queues.containsKey(name) && !isBarred(namespace, name))
        .orElseGet(() -> own(namespace));
  }

  /** The queue of pods of that namespace that name none. */
  private String own(String namespace) {
    return byNamespace.getOrDefault(namespace, DEFAULT);
  }

  /** Whether there is such a queue, and it does not let pods of that namespace in. */
  private boolean isBarred(String namespace, String name) {
    var queue = queues.get(name);
    if (queue == null || name.equals(own(namespace))) {
      return false;
    }
    boolean isOpen = isDefaultConfigured || !name.equals(DEFAULT);
    return !isOpen || !queue.letsIn(namespace);
  }

  /** Why a pod of that namespace may not name that queue; empty if it may, or there is none. */
  public Optional<Refusal> barred(String namespace, Optional<String> stated) {
    return stated
        .filter(name -> isBarred(namespace, name))
        .map(name -> new Refusal.Barred(name, namespace, String.join(", ", open(namespace))));
  }

  /** The same, or that there is none. */
  public Optional<Refusal> unusable(String namespace, Optional<String> stated) {
    return stated
        .filter(name -> !queues.containsKey(name))
        .<Refusal>map(name -> new Refusal.Unknown(name, String.join(", ", open(namespace))))
        .or(() -> barred(namespace, stated));
  }

  /** The names of the queues that pods of that namespace may name, sorted. */
  public List<String> open(String namespace) {
    return queues.keySet().stream().filter(name -> !isBarred(namespace, name)).toList();
  }

  /** The queue of that name. */
  public Optional<Queue> find(String name) {
    return Optional.ofNullable(queues.get(name));
  }

  /** Devices that are the queue's own; empty where there is no such queue, or it has no quota. */
  public Optional<Long> quota(String name) {
    return find(name).flatMap(Queue::quota);
  }

  /** All of them, by name. */
  public Collection<Queue> all() {
    return Collections.unmodifiableCollection(queues.values());
  }

  /** Those that were configured, by name: others of them make the same queues. */
  public List<Queue> configured() {
    return queues.values().stream()
        .filter(queue -> isDefaultConfigured || !queue.name().equals(DEFAULT))
        .toList();
  }

  /**
   * Why a queue may not take so many devices more now; empty if it may.
   *
   * @param givesBack whether they can be taken back; if not, they have to be the queue's own
   * @param held devices that a queue holds
   */
  public Optional<Refusal> refusal(
      String name, long more, boolean givesBack, ToLongFunction<String> held) {
    var queue = queues.get(name);
    if (queue == null) {
      return Optional.of(new Refusal.Unknown(name, String.join(", ", queues.keySet())));
    }
    if (queue.limit().isEmpty() && queue.quota().isEmpty()) {
      return Optional.empty();
    }
    long used = held.applyAsLong(name);
    if (queue.limit().filter(limit -> used + more > limit).isPresent()) {
      return Optional.of(new Refusal.Limit(name, queue.limit().get(), used, more));
    }
    if (queue.quota().isEmpty() || used + more <= queue.quota().get()) {
      return Optional.empty();
    }
    if (!givesBack) {
      return Optional.of(new Refusal.Lasting(name, queue.quota().get(), used, more));
    }
    long idle = Math.max(0, idleOfOthers(name, held) - borrowedByOthers(name, held));
    return used + more <= queue.quota().get() + idle
        ? Optional.empty()
        : Optional.of(new Refusal.Quota(name, queue.quota().get(), used, more, idle, own()));
  }

  /** Devices that are some queue's own. */
  private long own() {
    return queues.values().stream().mapToLong(queue -> queue.quota().orElse(0L)).sum();
  }

  /** Devices by which other queues are below their quotas. */
  private long idleOfOthers(String name, ToLongFunction<String> held) {
    return queues.values().stream()
        .filter(other -> !other.name().equals(name) && other.quota().isPresent())
        .mapToLong(other -> Math.max(0, other.quota().get() - held.applyAsLong(other.name())))
        .sum();
  }

  /** Devices by which other queues are above theirs. */
  private long borrowedByOthers(String name, ToLongFunction<String> held) {
    return queues.values().stream()
        .filter(other -> !other.name().equals(name) && other.quota().isPresent())
        .mapToLong(other -> Math.max(0, held.applyAsLong(other.name()) - other.quota().get()))
        .sum();
  }

  /**
   * Whether a queue would hold no more than its own with so many devices more; who asks for none
   * borrows none.
   */
  public boolean isEntitled(String name, long more, ToLongFunction<String> held) {
    return more == 0
        || quota(name).map(quota -> held.applyAsLong(name) + more <= quota).orElse(true);
  }

  /** Whether a queue holds more than its own. */
  public boolean borrows(String name, ToLongFunction<String> held) {
    return quota(name).filter(quota -> held.applyAsLong(name) > quota).isPresent();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Queues that && queues.equals(that.queues);
  }

  @Override
  public int hashCode() {
    return queues.hashCode();
  }

  @Override
  public String toString() {
    return queues.values().toString();
  }
}
