package io.muster.bench;

import io.muster.e2e.GangWatch;
import io.muster.e2e.GangWatch.GangName;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * The load of {@code contend} without an end: more gangs than there is room for, created all mixed
 * up, each deleted 5 s after it was seen whole, and the next ones created when most of these have
 * been. Every request is tried until it is answered. Safe for concurrent use.
 */
final class KillLoad implements AutoCloseable {

  private static final Duration LIFE = Duration.ofSeconds(5);
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final int CONFLICT = 409;
  private static final int NOT_FOUND = 404;

  /** Of the gangs of a round, how many may still be there when the next round comes: one in so. */
  private static final int LEFT_OF = 3;

  private final Api api;
  private final GangWatch watch;
  private final long seed;
  private final int ofEach;
  private final List<Integer> sizes;
  private final boolean claims;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Gang> gangs = new ConcurrentHashMap<>();
  private final Map<String, Instant> ended = new ConcurrentHashMap<>();
  private final Set<String> created = ConcurrentHashMap.newKeySet();
  private final Supplier<Instant> clock;
  private volatile boolean isOver;
  private Optional<Future<?>> rounds = Optional.empty();
  private Optional<Future<?>> endings = Optional.empty();

  /**
   * @param claims whether every second member asks for its GPUs by a claim
   */
  KillLoad(
      Api api,
      GangWatch watch,
      Supplier<Instant> clock,
      long seed,
      int ofEach,
      List<Integer> sizes,
      boolean claims) {
    this.api = api;
    this.watch = watch;
    this.clock = clock;
    this.seed = seed;
    this.ofEach = ofEach;
    this.sizes = List.copyOf(sizes);
    this.claims = claims;
  }

  void begin() {
    rounds = Optional.of(threads.submit(this::createOn));
    endings = Optional.of(threads.submit(this::endOn));
  }

  /** Creates no further round; returns whether all gangs were served within the limit. */
  boolean finish(Duration limit) {
    isOver = true;
    boolean served =
        Await.within(
            limit,
            () -> rounds.orElseThrow().isDone() && ended.keySet().containsAll(gangs.keySet()));
    fail(rounds.orElseThrow());
    return served;
  }

  /** All gangs of which a pod was created or is being. */
  List<Gang> gangs() {
    return List.copyOf(gangs.values());
  }

  /** Names of the pods that the API server has said, at least once, to have stored. */
  Set<String> created() {
    return Set.copyOf(created);
  }

  /** When the driver began to delete this gang, which it had seen whole. */
  Optional<Instant> endedAt(String gang) {
    return Optional.ofNullable(ended.get(gang));
  }

  private void createOn() {
    for (int round = 0; !isOver; round++) {
      var work = Work.mixed(seed + round, "r" + round + "g", ofEach, sizes);
      var uids = new ConcurrentHashMap<String, String>();
      Crowd.each(work.gangs(), gang -> uids.put(gang.name(), jobOf(gang)));
      work.gangs().forEach(gang -> gangs.put(gang.name(), gang));
      Crowd.each(
          work.order(),
          member -> {
            store(Manifests.PODS, memberOf(member, uids));
            created.add(member.name());
          });
      int enough = work.gangs().size() / LEFT_OF;
      while (!isOver && gangs.size() - ended.size() > enough) {
        sleep(LOOK);
      }
    }
  }

  private String memberOf(Gang.Member member, Map<String, String> uids) {
    var pod = Manifests.member(member, uids.get(member.gang().name()), Manifests.DEFAULT_SCHEDULER);
    return claims && member.index() % 2 == 1 ? DraNodes.claiming(pod, member.gang().gpus()) : pod;
  }

  private String jobOf(Gang gang) {
    store(Manifests.JOBS, Manifests.job(gang));
    return patiently(() -> Optional.of(api.get(Manifests.JOBS + "/" + gang.name())))
        .path("metadata")
        .path("uid")
        .asText();
  }

  /** One that is there already was stored by a request whose answer was lost. */
  private void store(String path, String body) {
    patiently(() -> {
      var reply = api.post(path, body);
      return reply.isSuccess() || reply.status() == CONFLICT
          ? Optional.of(reply)
          : Optional.empty();
    });
  }

  private void endOn() {
    var whole = new HashMap<String, Instant>();
    while (!Thread.currentThread().isInterrupted()) {
      var now = clock.get();
      for (var gang : gangs.values()) {
        if (isWhole(gang)) {
          whole.putIfAbsent(gang.name(), now);
        }
        var since = whole.get(gang.name());
        if (since != null
            && !since.plus(LIFE).isAfter(now)
            && ended.putIfAbsent(gang.name(), now) == null) {
          threads.execute(() -> delete(gang));
        }
      }
      sleep(LOOK);
    }
  }

  private boolean isWhole(Gang gang) {
    var levels = watch.levels(new GangName(Manifests.NAMESPACE, gang.name()));
    return !levels.isEmpty() && levels.getLast().started() == gang.members();
  }

  private void delete(Gang gang) {
    Crowd.each(
        gang.all(),
        member ->
            patiently(() -> {
              var reply =
                  api.delete(Manifests.PODS + "/" + member.name(), "{\"gracePeriodSeconds\":0}");
              return reply.isSuccess() || reply.status() == NOT_FOUND
                  ? Optional.of(reply)
                  : Optional.empty();
            }));
  }

  /** Tries until there is an answer, whatever is being killed meanwhile. */
  private static <T> T patiently(Supplier<Optional<T>> request) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    var last = new ArrayList<String>();
    while (System.nanoTime() < end) {
      try {
        var answer = request.get();
        if (answer.isPresent()) {
          return answer.get();
        }
      } catch (SandboxException e) {
        last.clear();
        last.add(e.getMessage());
      }
      sleep(AGAIN);
    }
    throw new SandboxException(
        "A request was refused for " + PATIENCE.toSeconds() + " s " + last + ".");
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The load was interrupted.", e);
    }
  }

  private static void fail(Future<?> work) {
    if (work.state() == Future.State.FAILED) {
      throw new SandboxException("The load failed: " + work.exceptionNow(), work.exceptionNow());
    }
  }

  /** Gangs by what became of them, for the report. */
  Map<String, Long> counts() {
    var counts = new TreeMap<String, Long>();
    counts.put("gangs", (long) gangs.size());
    counts.put("served", (long) ended.size());
    counts.put("pods", (long) created.size());
    return counts;
  }

  @Override
  public void close() {
    isOver = true;
    endings.ifPresent(loop -> loop.cancel(true));
    threads.shutdownNow();
  }
}
