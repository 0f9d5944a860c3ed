package io.muster.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Watches every pod of a cluster and remembers when the members of each gang were seen bound, so
 * that a test can say afterwards whether a gang was ever there in part, and for how long. Reads the
 * gang from the annotations itself, independently of the product. Safe for concurrent use.
 */
public final class GangWatch implements AutoCloseable {

  /** Names a gang as its members do. */
  public record GangName(String namespace, String name) {}

  /**
   * How many members of a gang count as started from that moment on: bound and not being deleted,
   * or succeeded.
   *
   * @param ending whether any member was being deleted then
   */
  public record Level(Instant at, int started, boolean ending) {}

  private static final List<String> NAME_KEYS =
      List.of("gang.scheduling.koordinator.sh/name", "muster.io/gang-name");

  private final InstantSource clock;
  private final SharedIndexInformer<Pod> informer;
  private final Map<GangName, Map<String, Pod>> members = new HashMap<>();
  private final Map<GangName, List<Level>> levels = new LinkedHashMap<>();
  private final Map<GangName, Set<String>> everBound = new HashMap<>();

  /** Begins to watch; returns when what exists has been read. */
  public GangWatch(KubernetesClient client, InstantSource clock) {
    this.clock = clock;
    this.informer =
        client
            .pods()
            .inAnyNamespace()
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(Pod pod) {
                    seen(pod);
                  }

                  @Override
                  public void onUpdate(Pod before, Pod pod) {
                    if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
                      gone(before);
                    }
                    seen(pod);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean finalStateUnknown) {
                    gone(pod);
                  }
                });
  }

  /** Uids of the members ever seen bound. */
  public synchronized Set<String> everBound(GangName gang) {
    return Set.copyOf(everBound.getOrDefault(gang, Set.of()));
  }

  /** All changes of the number of started members, in the order seen. */
  public synchronized List<Level> levels(GangName gang) {
    return List.copyOf(levels.getOrDefault(gang, List.of()));
  }

  /** Gangs seen so far. */
  public synchronized Set<GangName> gangs() {
    return Set.copyOf(members.keySet());
  }

  /** From the first to the min-th member seen bound; empty while fewer have been. */
  public Optional<Duration> spread(GangName gang, int min) {
    var all = levels(gang);
    var first = all.stream().filter(level -> level.started() > 0).findFirst();
    var last = all.stream().filter(level -> level.started() >= min).findFirst();
    return first.flatMap(f -> last.map(l -> Duration.between(f.at(), l.at())));
  }

  /**
   * The longest time in which some members were started but fewer than min, counted only from
   * {@code from} on; an interval that is still open ends now. Intervals that begin with a member
   * being deleted are left out: a user's own deletion is no fault.
   */
  public Duration longestInPart(GangName gang, int min, Instant from) {
    var all = levels(gang);
    var longest = Duration.ZERO;
    Optional<Instant> since = Optional.empty();
    for (var level : all) {
      boolean inPart = level.started() > 0 && level.started() < min && !level.ending();
      if (inPart && since.isEmpty()) {
        since = Optional.of(level.at().isBefore(from) ? from : level.at());
      } else if (!inPart && since.isPresent()) {
        longest = longer(longest, Duration.between(since.get(), level.at()));
        since = Optional.empty();
      }
    }
    return since.isPresent()
        ? longer(longest, Duration.between(since.get(), clock.instant()))
        : longest;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static Optional<GangName> gangOf(Pod pod) {
    var annotations = Optional.ofNullable(pod.getMetadata().getAnnotations()).orElseGet(Map::of);
    return NAME_KEYS.stream()
        .filter(annotations::containsKey)
        .findFirst()
        .map(key -> new GangName(pod.getMetadata().getNamespace(), annotations.get(key)));
  }

  private synchronized void seen(Pod pod) {
    gangOf(pod)
        .ifPresent(gang -> {
          members.computeIfAbsent(gang, _ -> new HashMap<>()).put(pod.getMetadata().getUid(), pod);
          if (isBound(pod)) {
            everBound.computeIfAbsent(gang, _ -> new HashSet<>()).add(pod.getMetadata().getUid());
          }
          note(gang);
        });
  }

  private synchronized void gone(Pod pod) {
    gangOf(pod)
        .ifPresent(gang -> {
          members.computeIfAbsent(gang, _ -> new HashMap<>()).remove(pod.getMetadata().getUid());
          note(gang);
        });
  }

  private void note(GangName gang) {
    var present = members.get(gang).values();
    int started = (int) present.stream().filter(GangWatch::hasStarted).count();
    boolean ending =
        present.stream().anyMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null);
    var all = levels.computeIfAbsent(gang, _ -> new ArrayList<>());
    var last = all.isEmpty() ? new Level(Instant.MIN, 0, false) : all.getLast();
    if (last.started() != started || last.ending() != ending) {
      all.add(new Level(clock.instant(), started, ending));
    }
  }

  private static boolean isBound(Pod pod) {
    return pod.getSpec().getNodeName() != null && !pod.getSpec().getNodeName().isEmpty();
  }

  private static boolean hasStarted(Pod pod) {
    var phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
    return switch (phase == null ? "" : phase) {
      case "Succeeded" -> true;
      case "Failed" -> false;
      default -> isBound(pod) && pod.getMetadata().getDeletionTimestamp() == null;
    };
  }

  @Override
  public void close() {
    informer.stop();
  }
}
