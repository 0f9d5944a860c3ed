package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Refusal;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Which queue everything is in, and how many devices each holds: those of pods on nodes, and those
 * reserved for members of gangs that start. Claims hold none: they are room that nobody uses.
 * Confined to the decision thread.
 */
final class QueueBook {

  private record Running(String queue, long devices) {}

  private final World world;
  private final Map<String, Running> running = new HashMap<>();
  private final Map<String, Long> bound = new HashMap<>();

  /** Pods without gang, or beyond its minimum, whose Bindings are under way. */
  private final Set<String> binding = new HashSet<>();

  private final RunTimes runTimes = new RunTimes();
  private Queues queues = Queues.NONE;

  QueueBook(World world) {
    this.world = world;
  }

  /** Takes another configuration for what there is. */
  void configure(Queues configured) {
    queues = configured;
    running.clear();
    bound.clear();
    world.pods().values().forEach(this::seen);
  }

  Queues queues() {
    return queues;
  }

  RunTimes runTimes() {
    return runTimes;
  }

  /** A single's Binding is under way: it counts before it is seen on its node. */
  void taken(Pod pod) {
    binding.add(pod.key().uid());
    seen(pod);
  }

  /** That has ended; what is seen of the pod from now on counts. */
  void settled(String uid, boolean isBound) {
    binding.remove(uid);
    if (!isBound) {
      forget(uid);
    }
  }

  void seen(Pod pod) {
    forget(pod.key().uid());
    long devices = pod.demand().requests().devices();
    boolean isOn = pod.isBound() || binding.contains(pod.key().uid());
    if (!queues.arePlain() && devices > 0 && isOn && !pod.isTerminal()) {
      var queue = of(pod);
      running.put(pod.key().uid(), new Running(queue, devices));
      bound.merge(queue, devices, Long::sum);
    }
  }

  void gone(String uid) {
    binding.remove(uid);
    forget(uid);
  }

  private void forget(String uid) {
    Optional.ofNullable(running.remove(uid))
        .ifPresent(was -> bound.merge(was.queue(), -was.devices(), Long::sum));
  }

  String of(GangState gang) {
    return queues.nameFor(gang.id.namespace(), gang.entry.statedQueue);
  }

  String of(Pod pod) {
    return world
        .knownGangOf(pod)
        .map(this::of)
        .orElseGet(() -> queues.nameFor(pod.key().namespace(), pod.wishes().hints().queue()));
  }

  /** How long the gang runs once it has started, as far as anybody can say. */
  Optional<Duration> runTime(GangState gang) {
    return gang.entry
        .runTime
        .or(() -> runTimes.usual(gang.id))
        .or(() -> queues.find(of(gang)).flatMap(Queue::runTime));
  }

  /** The same of a pod without a gang. */
  Optional<Duration> runTime(Pod pod) {
    return pod.wishes().hints().runTime().or(() -> queues.find(of(pod)).flatMap(Queue::runTime));
  }

  /** Devices that the gang's minimum needs beyond what it has. */
  static long needs(GangState gang) {
    var chosen = gang.headcount.chosen();
    long devices = chosen.stream().mapToLong(pod -> pod.shape().requests().devices()).sum();
    int missing = gang.headcount.needed() - chosen.size();
    return missing > 0 && gang.hasLiveMember()
        ? devices + missing * gang.model().shape().requests().devices()
        : devices;
  }

  /** Why its queue does not let the gang start now. */
  Optional<Refusal> refusal(GangState gang) {
    return refusal(gang, needs(gang));
  }

  /** The same where it is known what it would take. */
  Optional<Refusal> refusal(GangState gang, long devices) {
    return queues.arePlain() && of(gang).equals(Queues.DEFAULT)
        ? Optional.empty()
        : queues.refusal(of(gang), devices, held());
  }

  /** Why its queue does not let the pod, which is in no gang or beyond its minimum, start now. */
  Optional<Refusal> refusal(Pod pod) {
    long devices = pod.demand().requests().devices();
    return devices == 0 || (queues.arePlain() && of(pod).equals(Queues.DEFAULT))
        ? Optional.empty()
        : queues.refusal(of(pod), devices, held());
  }

  /** Devices that each queue holds at this moment. */
  ToLongFunction<String> held() {
    var all = new HashMap<>(bound);
    for (var gang : world.gangs().values()) {
      long devices = reserved(gang);
      if (devices > 0) {
        all.merge(of(gang), devices, Long::sum);
      }
    }
    return queue -> all.getOrDefault(queue, 0L);
  }

  private long reserved(GangState gang) {
    if (gang.places.isEmpty()
        && gang.openPlaces.isEmpty()
        && gang.record.isEmpty()
        && gang.boundHere.isEmpty()) {
      return 0;
    }
    Set<String> uids = new HashSet<>(gang.places.keySet());
    uids.addAll(gang.boundHere);
    if (!gang.satisfied) {
      uids.addAll(gang.record.keySet());
    }
    uids.removeAll(running.keySet());
    long devices =
        uids.stream()
            .flatMap(uid -> world.pod(uid).stream())
            .filter(pod -> !pod.isTerminal())
            .mapToLong(pod -> pod.demand().requests().devices())
            .sum();
    return devices
        + gang.openPlaces.stream().mapToLong(open -> open.demand().requests().devices()).sum();
  }
}
