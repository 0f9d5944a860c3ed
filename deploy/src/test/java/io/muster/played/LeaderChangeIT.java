package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Two pods of the chart, of which the leading one is lost again and again while gangs start;
 * kube-scheduler follows by the Service alone.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class LeaderChangeIT {

  private static final int ROUNDS = Integer.getInteger("muster.leaders.rounds", 20);
  private static final int LEASE_SECONDS = 8;
  private static final int MEMBERS = 4;

  /**
   * The lease and the time to notice its end, a start of the other, and kube-scheduler's backoff.
   */
  private static final Duration STATED = Duration.ofSeconds(LEASE_SECONDS + 2 + 10 + 10);

  private static final Duration SOON = Duration.ofSeconds(60);

  private enum Loss {
    KILLED,
    ENDED,
    PAUSED
  }

  @Test
  void gangsAreWholeHoweverTheLeaderIsLost() throws IOException, InterruptedException {
    var report = new ArrayList<String>();
    try (var cluster = PlayedCluster.start("leaders", 2)) {
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
            report.add(loss + " " + lose(cluster, loss, gang, watch));
            gang.delete();
          }
        }
      }
      assertThat(endpoints).isNotEmpty().allMatch(count -> count <= 1);
    }
    System.out.println("led to the new leader after its term began: " + report);
  }

  /** Returns the time from the new leader's term to the Service's way to it. */
  private static Duration lose(
      PlayedCluster cluster, Loss loss, GangManifest gang, GangWatch watch) {
    Await.until("somebody to lead", SOON, () -> holder(cluster).isPresent());
    var leader = holder(cluster).orElseThrow();
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
    // A container that is killed comes back in its pod, and may go on with its lease.
    Await.until(
        loss + ": somebody to lead",
        SOON,
        () ->
            holder(cluster)
                .filter(next -> loss == Loss.KILLED || !next.equals(leader))
                .isPresent());
    var led = Instant.now();
    Await.until(
        loss + ": the Service to lead there", SOON, () -> holder(cluster).equals(target(cluster)));
    var reached = Instant.now();
    Await.until(loss + ": the gang to run", SOON, () -> gang.running() == MEMBERS);
    assertThat(watch.everBound(gang.gang())).hasSize(MEMBERS);
    assertThat(watch.longestInPart(gang.gang(), MEMBERS, begin)).isLessThan(STATED);
    if (loss == Loss.PAUSED) {
      container.resume();
    }
    Await.until("both to be ready", SOON, () -> ready(cluster) == 2);
    return Duration.between(led, reached);
  }

  private static Optional<String> holder(PlayedCluster cluster) {
    return Optional.ofNullable(
            cluster.client().leases().inNamespace(Installation.NAMESPACE).withName("muster").get())
        .map(lease -> lease.getSpec().getHolderIdentity());
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
