package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Refusal;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Which queue everything is in, and how many devices each holds: those of pods on nodes, and those
 * reserved for members of gangs that start. BackfillReservations hold none: they are room that
 * nobody uses. Confined to the decision thread.
 */
public final class QueueUsage {

  private record Running(String queue, long devices) {}

  private final ClusterState cluster;
  private final Map<String, Running> running = new HashMap<>();
  private final Map<String, Long> bound = new HashMap<>();

  /** Pods without gang, or beyond its minimum, with a Binding that is not seen on them yet. */
  private final Set<String> binding = new HashSet<>();

  private final HeldBack heldBack;

  private Queues queues = Queues.NONE;

  QueueUsage(ClusterState cluster) {
    this.cluster = cluster;
    heldBack = new HeldBack(cluster);
  }

  /** Takes another configuration for what there is. */
  public void configure(Queues configured) {
    queues = configured;
    heldBack.turns().clear();
    running.clear();
    bound.clear();
    cluster.pods().all().forEach(this::seen);
  }

  public Queues queues() {
    return queues;
  }

  /** A single's Binding is under way: it counts before it is seen on its node. */
  public void taken(Pod pod) {
    binding.add(pod.key().uid());
    seen(pod);
  }

  boolean isBinding(String uid) {
    return binding.contains(uid);
  }

  /**
   * That has ended; a pod that was bound counts, though older versions of it are still seen. One
   * that was not may have been bound elsewhere, and be seen there.
   */
  public void settled(String uid, boolean isBound) {
    if (!isBound) {
      binding.remove(uid);
      cluster.pod(uid).ifPresentOrElse(this::seen, () -> forget(uid));
    }
  }

  public void seen(Pod pod) {
    forget(pod.key().uid());
    if (pod.isBound()) {
      binding.remove(pod.key().uid());
    }
    long devices = devices(pod);
    boolean isOn = pod.isBound() || binding.contains(pod.key().uid());
    if (!queues.arePlain() && devices > 0 && isOn && !pod.isTerminal()) {
      var queue = of(pod);
      running.put(pod.key().uid(), new Running(queue, devices));
      bound.merge(queue, devices, Long::sum);
    }
  }

  public void gone(String uid) {
    binding.remove(uid);
    forget(uid);
  }

  private void forget(String uid) {
    Optional.ofNullable(running.remove(uid))
        .ifPresent(was -> bound.merge(was.queue(), -was.devices(), Long::sum));
  }

  /** Why the gang may not be in the queue that it names. */
  public Optional<Refusal> barred(GangState gang) {
    return queues.unusable(gang.id.namespace(), gang.entry.statedQueue());
  }

  /** Why the pod may not be in the queue that it, or its gang, names. */
  public Optional<Refusal> barred(Pod pod) {
    return queues.unusable(pod.key().namespace(), stated(pod));
  }

  public String of(GangState gang) {
    return queues.nameFor(gang.id.namespace(), gang.entry.statedQueue());
  }

  /** What ends, so that its gang can start again, counts in its queue until it has gone. */
  public String of(Pod pod) {
    return queues.nameFor(pod.key().namespace(), stated(pod));
  }

  private Optional<String> stated(Pod pod) {
    return cluster
        .knownGangOf(pod)
        .flatMap(gang -> gang.entry.statedQueue())
        .or(() -> pod.wishes().hints().queue());
  }

  /** Whether gangs of its queue end each other by the order in which they wait. */
  public boolean endsByOrder(GangState gang) {
    return queues
        .find(of(gang))
        .filter(queue -> queue.preempts() && queue.order() != Order.PRIORITY)
        .isPresent();
  }

  /** Devices that the gang's minimum needs beyond what it has. */
  public static long needs(GangState gang) {
    long devices = gang.counts.chosenDevices();
    int missing = gang.counts.needed() - gang.counts.chosen().size();
    return missing > 0 && gang.terms.quorum().isPresent() && gang.members.isAnyLive()
        ? devices + missing * gang.counts.model().shape().requests().devices()
        : devices;
  }

  /** Why its queue does not let the gang start now. */
  public Optional<Refusal> refusal(GangState gang) {
    return refusal(gang, held());
  }

  /** The same where it is known what the queues hold. */
  public Optional<Refusal> refusal(GangState gang, ToLongFunction<String> held) {
    return refusal(gang, needs(gang), held);
  }

  /** The same where it is known what it would take. */
  public Optional<Refusal> refusal(GangState gang, long devices) {
    return refusal(gang, devices, held());
  }

  private Optional<Refusal> refusal(GangState gang, long devices, ToLongFunction<String> held) {
    return barred(gang)
        .or(() -> full(gang, devices, held))
        .or(() -> devices == 0 ? Optional.empty() : heldBack(gang, devices, held));
  }

  private Optional<Refusal> heldBack(GangState gang, long devices, ToLongFunction<String> held) {
    return heldBack
        .byTurn(gang)
        .or(() -> heldBack.byPromise(gang, more -> full(gang, devices + more, held).isPresent()));
  }

  /** Who is held back for others of its queue. */
  public HeldBack heldBack() {
    return heldBack;
  }

  private Optional<Refusal> full(GangState gang, long devices, ToLongFunction<String> held) {
    if (queues.arePlain()) {
      return Optional.empty();
    }
    boolean givesBack = givesBack(gang);
    return devices == 0 && givesBack
        ? Optional.empty()
        : queues.refusal(of(gang), devices, givesBack, held);
  }

  /**
   * Why its queue does not let the pod, which is in no gang or beyond its minimum, start now.
   *
   * @param held what the queues hold
   */
  public Optional<Refusal> refusal(Pod pod, ToLongFunction<String> held) {
    return refusal(pod, held, () -> devicesOfItsSeat(pod));
  }

  /** Why its queue does not let the pod take a place that is kept for it. */
  public Optional<Refusal> refusal(Pod pod, OpenPlace kept, ToLongFunction<String> held) {
    return refusal(pod, held, kept::devices);
  }

  /**
   * @param own devices of what the queues hold that are meant for this pod
   */
  private Optional<Refusal> refusal(Pod pod, ToLongFunction<String> held, LongSupplier own) {
    long devices = pod.devices();
    // Who cannot be ended keeps what its gang has, though it asks for nothing.
    if (devices == 0 && (queues.arePlain() || givesBack(pod))) {
      return Optional.empty();
    }
    var barred = barred(pod);
    if (barred.isPresent() || queues.arePlain()) {
      return barred;
    }
    var queue = of(pod);
    long counted = own.getAsLong();
    LongFunction<Optional<Refusal>> full =
        more ->
            queues.refusal(
                queue,
                devices + more,
                givesBack(pod),
                name -> held.applyAsLong(name) - (name.equals(queue) ? counted : 0));
    var origin = pod.origin();
    return full.apply(0)
        .or(() ->
            cluster.knownGangOf(pod).isPresent()
                ? Optional.empty()
                : heldBack.of(queue, origin, more -> full.apply(more).isPresent()));
  }

  private long devicesOfItsSeat(Pod pod) {
    return cluster.knownGangOf(pod).filter(gang -> isSeated(gang, pod)).isPresent()
        ? devicesOnTheWay(pod.key().uid())
        : 0;
  }

  /** Why its queue does not let these of its members have places beside those that have. */
  public Optional<Refusal> refusal(GangState gang, List<Pod> unplaced) {
    long devices = unplaced.stream().mapToLong(Pod::devices).sum();
    return full(gang, devices, held());
  }

  /** Whether the gang may have what is another queue's own, as long as that leaves it idle. */
  public boolean mayBorrow(GangState gang) {
    return queues.arePlain() || givesBack(gang);
  }

  /** The same of a pod, with those of its gang. */
  public boolean mayBorrow(Pod pod) {
    return queues.arePlain() || givesBack(pod);
  }

  /** Why a queue does not let so many devices more start now. */
  public Optional<Refusal> refusal(String queue, long devices, ToLongFunction<String> held) {
    return devices == 0 || queues.arePlain()
        ? Optional.empty()
        : queues.refusal(queue, devices, true, held);
  }

  /** Whether its devices, and those of its gang with it, can be taken back. */
  private boolean givesBack(Pod pod) {
    return cluster
        .knownGangOf(pod)
        .map(QueueUsage::givesBack)
        .orElseGet(() -> pod.mayEnd() || pod.devices() == 0);
  }

  /** Whether all of the gang can be ended, or nobody is the poorer for it. */
  private static boolean givesBack(GangState gang) {
    boolean asks = false;
    boolean mayEnd = true;
    for (var pod : gang.members.all()) {
      if (gang.members.isLive(pod)) {
        asks |= pod.devices() > 0;
        mayEnd &= pod.mayEnd();
      }
    }
    return mayEnd || !asks;
  }

  /** Whether so many devices more would be the own of the gang's queue, and within its limit. */
  public boolean mayHoldForGood(GangState gang, long devices) {
    return queues.refusal(of(gang), devices, false, held()).isEmpty();
  }

  /**
   * Devices that each queue holds. Counted when it is first asked, for that moment: not to be kept
   * until anything changes.
   */
  public ToLongFunction<String> held() {
    var all = new HashMap<String, Long>();
    return queue -> {
      if (all.isEmpty()) {
        all.putAll(bound);
        all.putIfAbsent(queue, 0L);
        cluster.gangs().active().forEach(gang -> countReserved(gang, all));
      }
      return all.getOrDefault(queue, 0L);
    };
  }

  private void countReserved(GangState gang, Map<String, Long> all) {
    long devices = reserved(gang) + seated(gang) + devicesOf(gang.deferred.places.values());
    if (devices > 0) {
      all.merge(of(gang), devices, Long::sum);
    }
    // One that was bound a moment ago may be told to end before it is seen on its node.
    for (var uid : gang.ending.uids()) {
      cluster
          .pod(uid)
          .filter(_ -> cluster.inventory().nodeOf(uid).isPresent())
          .ifPresent(pod -> all.merge(of(pod), devicesOnTheWay(uid), Long::sum));
    }
  }

  private long reserved(GangState gang) {
    if (gang.reservation.isEmpty() && gang.record.isEmpty() && gang.burst.bound().isEmpty()) {
      return 0;
    }
    long devices = devicesOn(gang.reservation.uids());
    for (var uid : gang.burst.bound()) {
      devices += gang.reservation.holds(uid) ? 0 : devicesOnTheWay(uid);
    }
    for (var uid : gang.satisfied() ? Set.<String>of() : gang.record.uids()) {
      boolean isCounted = gang.reservation.holds(uid) || gang.burst.isBound(uid);
      devices += isCounted ? 0 : devicesOnTheWay(uid);
    }
    return devices + devicesOf(gang.reservation.open());
  }

  private static long devicesOf(Collection<OpenPlace> places) {
    long devices = 0;
    for (var open : places) {
      devices += open.devices();
    }
    return devices;
  }

  /** Replacements that were sent to the places kept for them, and are not on their nodes yet. */
  private long seated(GangState gang) {
    long devices = 0;
    if (gang.satisfied()) {
      for (var pod : gang.members.all()) {
        devices += isSeated(gang, pod) ? devicesOnTheWay(pod.key().uid()) : 0;
      }
    }
    return devices;
  }

  /** Whether its gang has started without it, and has a place for it. */
  private boolean isSeated(GangState gang, Pod pod) {
    var uid = pod.key().uid();
    return gang.satisfied()
        && gang.members.isLive(pod)
        && !gang.members.hasStarted(pod)
        && !gang.reservation.holds(uid)
        && !running.containsKey(uid)
        && cluster.inventory().nodeOf(uid).isPresent();
  }

  private long devicesOn(Set<String> uids) {
    long devices = 0;
    for (var uid : uids) {
      devices += devicesOnTheWay(uid);
    }
    return devices;
  }

  /** Nothing of a pod that is seen on its node, or whose Binding was sent: it counts as running. */
  public long devicesOnTheWay(String uid) {
    if (running.containsKey(uid)) {
      return 0;
    }
    return cluster.pod(uid).filter(pod -> !pod.isTerminal()).map(this::devices).orElse(0L);
  }

  /**
   * On its node a pod has what it asks for. Until then a claim that it names may ask for less for a
   * while, or for nothing as others name it too: no less counts than its place was made for.
   */
  private long devices(Pod pod) {
    long asked = pod.devices();
    return pod.isBound()
        ? asked
        : cluster
            .inventory()
            .holding(pod.key().uid())
            .map(place -> Math.max(asked, place.requests().devices()))
            .orElse(asked);
  }
}
