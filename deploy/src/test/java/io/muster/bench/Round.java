package io.muster.bench;

import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * One piece of work given to the side whose turn it is: its Jobs are made beforehand, then 32
 * clients create the pods at once while one watch notes each pod's node. Confined to one thread.
 */
final class Round implements AutoCloseable {

  private final Arena arena;
  private final Work work;
  private final Optional<String> priorityClass;
  private final Map<String, String> jobUids = new ConcurrentHashMap<>();
  private final Map<String, Long> created = new ConcurrentHashMap<>();
  private final PodWatch watch;
  private Consumer<Gang.Member> whenCreated = _ -> {};
  private CpuTimes before = new CpuTimes(Map.of());
  private long begun;
  private long allCreated;

  Round(Arena arena, Work work) {
    this(arena, work, Optional.empty());
  }

  /**
   * The same.
   *
   * @param priorityClass of all pods
   */
  Round(Arena arena, Work work, Optional<String> priorityClass) {
    this.arena = arena;
    this.work = work;
    this.priorityClass = priorityClass;
    Crowd.each(
        work.gangs(),
        gang ->
            jobUids.put(
                gang.name(),
                arena
                    .api()
                    .post(Manifests.JOBS, Manifests.job(gang))
                    .orFail("a Job")
                    .json()
                    .path("metadata")
                    .path("uid")
                    .asText()));
    if (arena.side().isNative()) {
      NativeGangs.create(arena.api(), work);
    }
    this.watch = new PodWatch(arena.api(), Manifests.NAMESPACE);
  }

  PodWatch watch() {
    return watch;
  }

  /** Calls with each pod that was created. */
  void onCreated(Consumer<Gang.Member> listener) {
    whenCreated = listener;
  }

  /** Creates all pods in the order of the work; returns when all were answered. */
  void create(String scheduler) {
    before = arena.cpuTimes();
    begun = System.nanoTime();
    Crowd.each(work.order(), member -> create(member, scheduler));
    allCreated = System.nanoTime();
  }

  private void create(Gang.Member member, String scheduler) {
    created.put(member.name(), System.nanoTime());
    var stated = Manifests.member(member, jobUids.get(member.gang().name()), scheduler);
    var pod =
        switch (arena.side()) {
          case NATIVE, NATIVE_DRA -> NativeGangs.member(stated, member.gang().name());
          case MUSTER_RACKS -> Manifests.preferringRack(stated);
          case BARE, PROBE, GATED, MUSTER, WATCHED, DRA, MUSTER_NATIVE -> stated;
        };
    arena
        .api()
        .post(
            Manifests.PODS, priorityClass.map(name -> Manifests.ofPriority(pod, name)).orElse(pod))
        .orFail("pod " + member.name());
    whenCreated.accept(member);
  }

  /**
   * Waits until all pods were seen bound.
   *
   * @throws SandboxException if that takes longer
   */
  Outcome awaitBound(Duration limit) {
    if (!watch.sawBound(work.pods(), limit)) {
      throw new SandboxException(
          "only %d of %d pods were bound within %d s; %d were deleted, whom nobody makes anew"
              .formatted(watch.boundCount(), work.pods(), limit.toSeconds(), watch.goneCount()));
    }
    var cpu = arena.cpuTimes().since(before);
    var bound = watch.bound().values();
    return new Outcome(
        work.pods(),
        seconds(begun, allCreated),
        seconds(begun, bound.stream().mapToLong(Long::longValue).max().orElseThrow()),
        seconds(
            bound.stream().mapToLong(Long::longValue).min().orElseThrow(),
            bound.stream().mapToLong(Long::longValue).max().orElseThrow()),
        longestSpread(),
        cpu);
  }

  /** When the first pod was sent to the API server, by {@link System#nanoTime}. */
  long begun() {
    return begun;
  }

  /** When the last pod was answered, by {@link System#nanoTime}. */
  long allCreated() {
    return allCreated;
  }

  CpuTimes cpuSince() {
    return arena.cpuTimes().since(before);
  }

  /** When the first member of each gang was sent to the API server. */
  Map<String, Long> firstCreated() {
    var first = new HashMap<String, Long>();
    created.forEach((pod, at) -> first.merge(Gang.of(pod), at, Math::min));
    return first;
  }

  private double longestSpread() {
    var first = new HashMap<String, Long>();
    var last = new HashMap<String, Long>();
    watch
        .bound()
        .forEach((pod, at) -> {
          first.merge(Gang.of(pod), at, Math::min);
          last.merge(Gang.of(pod), at, Math::max);
        });
    return first.entrySet().stream()
        .mapToDouble(entry -> seconds(entry.getValue(), last.get(entry.getKey())))
        .max()
        .orElse(0);
  }

  static double seconds(long from, long to) {
    return (to - from) / 1e9;
  }

  /**
   * How a round went; all times in seconds.
   *
   * @param created from the first pod sent to the last answered
   * @param bound from the first pod sent to the last seen bound
   * @param firstToLast from the first pod seen bound to the last
   * @param longestInPart from the first to the last member of a gang, the longest of all gangs
   */
  record Outcome(
      int pods,
      double created,
      double bound,
      double firstToLast,
      double longestInPart,
      CpuTimes cpu) {

    double podsPerSecond() {
      return pods / bound;
    }

    String words() {
      return "%d pods in %.2f s = %.0f pods/s (created in %.2f s; longest gang %.2f s)\n      cpu s: %s"
          .formatted(pods, bound, podsPerSecond(), created, longestInPart, cpu);
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
