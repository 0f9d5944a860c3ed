package io.muster.bench;

import io.muster.sandbox.AuditLog.Write;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions.Audited;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * 200 jobs with a coordinator and a collector each, whose coordinators ask for their workers once a
 * second, as DI-engine's do: how long an answer takes, as its caller sees it, and what Muster asks
 * the API server meanwhile. What it looks at by the clock, with or without callers (its lease, its
 * certificates, its registration), is counted apart.
 */
final class DiPoll {

  private static final int JOBS = 200;
  private static final int NODES = 6;
  private static final int CLIENTS = 16;
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** Jobs ask for hours; a process that is just up has much to compile. */
  private static final int WARM_UP_ROUNDS = 40;

  private static final int ROUNDS = 30;
  private static final double BAR_MILLIS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final List<String> READS = List.of("get", "list", "watch");
  private static final List<String> BY_THE_CLOCK =
      List.of("leases", "secrets", "mutatingwebhookconfigurations");
  private static final String REPLICAS = "/v1alpha1/replicas";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  Verdict measure() {
    try (var arena = Arena.with(NODES, Audited.READS_TOO)) {
      arena.turnTo(Side.MUSTER);
      var server = arena.muster().orElseThrow().diUrl();
      var names = IntStream.range(0, JOBS).mapToObj(i -> "rl" + i).toList();
      prepare(arena, server, names);
      System.out.println("  warming up:");
      poll(server, names, WARM_UP_ROUNDS);
      CpuTimes.awaitQuiet(arena.sandbox().state());
      var audit = arena.sandbox().auditLog();
      long mark = audit.mark();
      var millis = poll(server, names, ROUNDS);
      var reads =
          audit.since(mark).stream().filter(request -> READS.contains(request.verb())).toList();
      return verdict(millis, reads);
    } finally {
      http.shutdownNow();
    }
  }

  private void prepare(Arena arena, String server, List<String> names) {
    Crowd.each(
        names,
        CLIENTS,
        name ->
            arena
                .api()
                .post(Manifests.DI_JOBS, Manifests.coordinatedJob(name))
                .orFail("DIJob " + name));
    Await.until("the coordinators to run", LIMIT, () -> running(arena) == JOBS);
    Crowd.each(
        names,
        JOBS,
        name ->
            answer(
                HttpRequest.newBuilder(URI.create(server + REPLICAS))
                    .POST(
                        HttpRequest.BodyPublishers.ofString(
                            """
                            {"namespace":"%s","coordinator":"%s-coordinator","collectors":{"replicas":1}}
                            """
                                .formatted(Manifests.NAMESPACE, name)))
                    .build()));
    Await.until("the collectors to run", LIMIT, () -> running(arena) == 2 * JOBS);
    CpuTimes.awaitQuiet(arena.sandbox().state());
  }

  private static long running(Arena arena) {
    return arena
        .api()
        .get(Manifests.PODS + "?resourceVersion=0&fieldSelector=status.phase%3DRunning")
        .path("items")
        .size();
  }

  /** Milliseconds of each answer; every job asks in its own moment of each second. */
  private List<Double> poll(String server, List<String> names, int rounds) {
    var millis = Collections.synchronizedList(new ArrayList<Double>());
    long begin = System.nanoTime() + PERIOD.toNanos();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var all = new ArrayList<Future<?>>();
      for (int i = 0; i < names.size(); i++) {
        long first = begin + PERIOD.toNanos() * i / names.size();
        var request =
            HttpRequest.newBuilder(
                    URI.create(
                        "%s%s?namespace=%s&coordinator=%s-coordinator"
                            .formatted(server, REPLICAS, Manifests.NAMESPACE, names.get(i))))
                .build();
        all.add(clients.submit(() -> ask(request, first, rounds, millis)));
      }
      for (var one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new SandboxException(String.valueOf(e.getCause().getMessage()), e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    System.out.printf(
        "    %d answers: median %.2f ms, p99 %.2f ms, longest %.2f ms%n",
        millis.size(), percentile(millis, 50), percentile(millis, 99), percentile(millis, 100));
    return millis;
  }

  private void ask(HttpRequest request, long first, int rounds, List<Double> millis) {
    for (int round = 0; round < rounds; round++) {
      long due = first + PERIOD.toNanos() * round;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      long begun = System.nanoTime();
      var body = answer(request);
      millis.add((System.nanoTime() - begun) / 1e6);
      if (!body.contains("\"collectors\":[\"")) {
        throw new SandboxException("a job has lost its collector: " + body);
      }
    }
  }

  private String answer(HttpRequest request) {
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      if (answer.statusCode() != 200 || !answer.body().contains("\"success\":true")) {
        throw new SandboxException(
            request.uri() + " was answered " + answer.statusCode() + " " + answer.body());
      }
      return answer.body();
    } catch (IOException e) {
      throw new SandboxException(request.uri() + " failed: " + e, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static SandboxException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new SandboxException("The clients were interrupted.", e);
  }

  private static Verdict verdict(List<Double> millis, List<Write> reads) {
    long byTheClock = reads.stream().filter(read -> BY_THE_CLOCK.contains(read.resource())).count();
    long others = reads.size() - byTheClock;
    double p99 = percentile(millis, 99);
    System.out.printf(
        "%n  what Muster read at the API server meanwhile: %s%n",
        reads.stream()
            .collect(
                Collectors.groupingBy(
                    read -> read.verb() + " " + read.resource(),
                    TreeMap::new,
                    Collectors.counting())));
    return new Verdict(
        "di-poll",
        "ms p99",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, p99)),
        OptionalDouble.empty(),
        "muster < %s, apiReads = 0".formatted(BAR_MILLIS),
        Optional.of(p99 < BAR_MILLIS && others == 0),
        Map.of(
            "medianMillis",
            percentile(millis, 50),
            "longestMillis",
            percentile(millis, 100),
            "polls",
            (double) millis.size(),
            "apiReads",
            (double) others,
            "apiReadsByTheClock",
            (double) byTheClock));
  }

  private static double percentile(List<Double> values, int percent) {
    var sorted = values.stream().sorted().toList();
    return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
  }
}
