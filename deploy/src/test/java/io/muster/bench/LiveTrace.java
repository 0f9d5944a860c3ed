package io.muster.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import io.muster.simulator.world.JobStart;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.StreamSupport;

/**
 * Timed work on the sandbox, in real time: each gang's pods are created when it arrives, and
 * deleted when it has run for its time from the moment in which it was whole. Times are since a
 * whole second, as the API server notes births by the second. Confined to one thread; its gangs
 * have threads of their own.
 */
final class LiveTrace implements AutoCloseable {

  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final int CLIENTS_A_GANG = 16;

  private final Arena arena;
  private final TimedWork work;
  private final PodWatch watch;
  private final Map<String, String> jobUids = new ConcurrentHashMap<>();
  private final Map<String, Duration> arrivals = new ConcurrentHashMap<>();
  private final Map<String, JobStart> starts = new ConcurrentHashMap<>();
  private final Instant begin;
  private final long beginNanos;

  LiveTrace(Arena arena, TimedWork work) {
    this.arena = arena;
    this.work = work;
    Crowd.each(
        work.gangs(),
        timed ->
            jobUids.put(
                timed.gang().name(),
                arena
                    .api()
                    .post(Manifests.JOBS, Manifests.job(timed.gang()))
                    .orFail("a Job")
                    .json()
                    .path("metadata")
                    .path("uid")
                    .asText()));
    watch = new PodWatch(arena.api(), Manifests.NAMESPACE);
    var now = Instant.now();
    begin = now.plus(SETTLE).truncatedTo(ChronoUnit.SECONDS);
    beginNanos = System.nanoTime() + Duration.between(now, begin).toNanos();
  }

  /** Plays it all, to the end of the last gang. */
  void play() {
    var lives = new ArrayList<Future<?>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      work.gangs().forEach(timed -> lives.add(threads.submit(() -> live(timed))));
      for (var life : lives) {
        life.get();
      }
    } catch (ExecutionException e) {
      throw new SandboxException(String.valueOf(e.getCause().getMessage()), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The trace was interrupted.", e);
    }
  }

  /** When the first member of each gang came. */
  Map<String, Duration> arrivals() {
    return Map.copyOf(arrivals);
  }

  /** When the first member of each gang was seen bound. */
  Map<String, Duration> begun() {
    var begun = new HashMap<String, Duration>();
    watch
        .bound()
        .forEach((pod, at) ->
            begun.merge(Gang.of(pod), Duration.ofNanos(at - beginNanos), LiveTrace::shorter));
    return begun;
  }

  /** The starts, in their order. */
  List<JobStart> starts() {
    return starts.values().stream().sorted(Comparator.comparing(JobStart::at)).toList();
  }

  private void live(TimedGang timed) {
    var gang = timed.gang();
    sleepUntil(timed.arrival());
    var members = gang.all();
    create(timed, members.getFirst());
    Crowd.each(members.subList(1, members.size()), CLIENTS_A_GANG, member -> create(timed, member));
    Await.until(
        gang.name() + " to be whole",
        LONGEST_WAIT,
        () -> watch.boundOf(gang.name()) == gang.members());
    var whole = wholeAt(gang);
    starts.put(gang.name(), new JobStart(gang.name(), whole, nodes(gang)));
    sleepUntil(whole.plus(timed.runs()));
    Crowd.each(
        members,
        member ->
            arena.api().delete(Manifests.PODS + "/" + member.name(), "{\"gracePeriodSeconds\":0}"));
  }

  private void create(TimedGang timed, Gang.Member member) {
    var pod =
        Manifests.running(
            Manifests.member(member, jobUids.get(timed.gang().name()), Manifests.DEFAULT_SCHEDULER),
            timed.runs());
    var sent = now();
    var created = arena.api().post(Manifests.PODS, pod).orFail("pod " + member.name()).json();
    var noted = Instant.parse(created.path("metadata").path("creationTimestamp").asText());
    var arrival = longer(sent, Duration.between(begin, noted));
    arrivals.putIfAbsent(timed.gang().name(), arrival);
  }

  private Duration wholeAt(Gang gang) {
    var bound = watch.bound();
    long last =
        gang.all().stream().mapToLong(member -> bound.get(member.name())).max().orElseThrow();
    return Duration.ofNanos(last - beginNanos);
  }

  private List<String> nodes(Gang gang) {
    var pods = arena.api().get(Manifests.PODS).path("items");
    var nodes =
        StreamSupport.stream(pods.spliterator(), false)
            .filter(pod -> Gang.of(name(pod)).equals(gang.name()))
            .map(pod -> pod.path("spec").path("nodeName").asText())
            .sorted()
            .toList();
    if (nodes.size() != gang.members()) {
      throw new SandboxException(
          "%s has %d members, of which %d were listed"
              .formatted(gang.name(), gang.members(), nodes.size()));
    }
    return nodes;
  }

  private static String name(JsonNode pod) {
    return pod.path("metadata").path("name").asText();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  private Duration now() {
    return Duration.ofNanos(System.nanoTime() - beginNanos);
  }

  private void sleepUntil(Duration at) {
    var left = at.minus(now());
    if (left.isPositive()) {
      try {
        Thread.sleep(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SandboxException("The trace was interrupted.", e);
      }
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
