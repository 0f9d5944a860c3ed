package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.image.BuildScript;
import io.muster.image.RootFilesystem;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Two pods of the chart, of which the leading one is lost again and again while gangs start;
 * kube-scheduler follows by the Service alone.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
@ResourceLock(StateDirectory.OF_BENCH)
final class LeaderChangeIT {

  private static final int ROUNDS = Integer.getInteger("muster.leaders.rounds", 20);
  private static final int LEASE_SECONDS = 8;
  private static final int MEMBERS = 4;

  /**
   * The lease and the time to notice its end, a start of the other, and kube-scheduler's backoff.
   */
  private static final Duration STATED = Duration.ofSeconds(LEASE_SECONDS + 2 + 10 + 10);

  private static final Duration SOON = Duration.ofSeconds(60);

  /** From the begin of a term. */
  private static final Duration REACHED = Duration.ofSeconds(1);

  private static final JsonMapper JSON = new JsonMapper();

  private enum Loss {
    KILLED,
    ENDED,
    PAUSED
  }

  /**
   * A term of a process, as it says itself.
   *
   * @param reached when it answered calls and the Service led there; empty until it answers
   */
  private record Term(String pod, Instant begun, Optional<Instant> reached) {}

  @Test
  void gangsAreWholeHoweverTheLeaderIsLost(@TempDir Path made)
      throws IOException, InterruptedException {
    var times = new EnumMap<Loss, List<Duration>>(Loss.class);
    BuildScript.run(made);
    try (var cluster = PlayedCluster.start("leaders", 2)) {
      cluster.provide(
          PlayedImage.of(
              RootFilesystem.unpack(made.resolve("oci"), cluster.sandbox().state().file("image"))));
      var installation = Installation.in(cluster);
      installation.install(
          "settings.leaseDurationSeconds=" + LEASE_SECONDS, "settings.bindTimeoutSeconds=2");
      new ClusterScheduler(cluster).askMuster();
      var endpoints = new ConcurrentLinkedQueue<Integer>();
      try (var watch = new GangWatch(cluster.client(), InstantSource.system());
          var _ = slices(cluster, endpoints);
          var space = cluster.open("leaders")) {
        space.nodes(2, NodeShape.GPU4);
        for (int round = 0; round < ROUNDS; round++) {
          for (var loss : Loss.values()) {
            var gang =
                GangManifest.of(space, loss.name().toLowerCase(Locale.ROOT) + round, MEMBERS);
            times
                .computeIfAbsent(loss, _ -> new ArrayList<>())
                .add(lose(cluster, loss, gang, watch));
            gang.delete();
          }
        }
      }
      assertThat(endpoints).isNotEmpty().allMatch(count -> count <= 1);
    }
    times.forEach((loss, all) -> {
      Collections.sort(all);
      System.out.printf(
          "%s: the Service led to the next leader after its term began, in ms: %s%n",
          loss, all.stream().map(Duration::toMillis).toList());
    });
    assertThat(times.values()).allSatisfy(all -> assertThat(all.getLast()).isLessThan(REACHED));
  }

  /** Returns the time from the begin of the next term to the Service's way there. */
  private static Duration lose(
      PlayedCluster cluster, Loss loss, GangManifest gang, GangWatch watch) {
    var leader = terms(cluster).getLast().pod();
    var container =
        cluster.pod(Installation.NAMESPACE, leader).flatMap(PlayedPod::container).orElseThrow();
    var begin = Instant.now();
    gang.createPatiently(SOON);
    switch (loss) {
      case KILLED -> container.kill();
      case ENDED ->
          cluster.client().pods().inNamespace(Installation.NAMESPACE).withName(leader).delete();
      case PAUSED -> container.freeze();
    }
    var lost = Instant.now();
    Await.until(
        loss + ": the Service to lead to the next",
        SOON,
        () -> {
          var last = terms(cluster).getLast();
          return last.begun().isAfter(begin)
              && last.reached().isPresent()
              && (loss == Loss.ENDED || last.begun().isAfter(lost))
              && Optional.of(last.pod()).equals(target(cluster));
        });
    Await.until(
        loss + ": the gang to run, and the watch to see it",
        SOON,
        () -> gang.running() == MEMBERS && watch.everBound(gang.gang()).size() >= MEMBERS);
    var term = terms(cluster).getLast();
    assertThat(watch.everBound(gang.gang())).hasSize(MEMBERS);
    assertThat(watch.longestInPart(gang.gang(), MEMBERS, begin)).isLessThan(STATED);
    if (loss == Loss.PAUSED) {
      container.resume();
    }
    Await.until("both to be ready", SOON, () -> ready(cluster) == 2);
    return Duration.between(term.begun(), term.reached().orElseThrow());
  }

  /** All terms of the pods that are there, in the order in which they began. */
  private static List<Term> terms(PlayedCluster cluster) {
    return Installation.of(cluster).stream()
        .map(pod -> pod.getMetadata().getName())
        .flatMap(pod -> terms(pod, cluster.log(pod, "muster")).stream())
        .sorted(Comparator.comparing(Term::begun))
        .toList();
  }

  private static List<Term> terms(String pod, Path log) {
    var terms = new ArrayList<Term>();
    try {
      for (var line : Files.exists(log) ? Files.readAllLines(log) : List.<String>of()) {
        // What else a JVM prints is no JSON, and the last line may still be written.
        if (!line.startsWith("{") || !line.endsWith("}")) {
          continue;
        }
        var entry = JSON.readTree(line);
        var at = Instant.ofEpochMilli(entry.path("timestamp").asLong());
        switch (entry.path("formattedMessage").asText()) {
          case "leads" -> terms.add(new Term(pod, at, Optional.empty()));
          // The second is not said where the Service led to that pod already.
          case "the cluster has been read; calls are answered from now on",
              "kube-scheduler's calls are led here" ->
              terms.add(new Term(pod, terms.removeLast().begun(), Optional.of(at)));
          default -> {}
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return terms;
  }

  /** The pod whose address the Service leads to. */
  private static Optional<String> target(PlayedCluster cluster) {
    return Optional.ofNullable(
            cluster
                .client()
                .discovery()
                .v1()
                .endpointSlices()
                .inNamespace(Installation.NAMESPACE)
                .withName("muster-extender")
                .get())
        .map(LeaderChangeIT::addresses)
        .flatMap(addresses -> addresses.stream().findFirst())
        .flatMap(address ->
            cluster.client().pods().inNamespace(Installation.NAMESPACE).list().getItems().stream()
                .filter(pod -> address.equals(pod.getStatus().getPodIP()))
                .map(pod -> pod.getMetadata().getName())
                .findFirst());
  }

  private static List<String> addresses(EndpointSlice slice) {
    return Optional.ofNullable(slice.getEndpoints()).orElse(List.of()).stream()
        .flatMap(endpoint -> endpoint.getAddresses().stream())
        .toList();
  }

  private static long ready(PlayedCluster cluster) {
    return cluster
        .client()
        .pods()
        .inNamespace(Installation.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "server")
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod ->
            pod.getStatus().getConditions().stream()
                .anyMatch(one -> one.getType().equals("Ready") && one.getStatus().equals("True")))
        .count();
  }

  /** How many endpoints the Service has at each change. */
  private static SharedIndexInformer<EndpointSlice> slices(
      PlayedCluster cluster, Queue<Integer> seen) {
    var informer =
        cluster
            .client()
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(Installation.NAMESPACE)
            .withLabel("kubernetes.io/service-name", "muster-extender")
            .runnableInformer(0);
    informer.addEventHandler(
        new ServiceNet.Changed<>(() ->
            seen.add(
                informer.getStore().list().stream()
                    .mapToInt(slice -> addresses(slice).size())
                    .sum())));
    return informer.run();
  }
}
