package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.faults.TwoMusters;
import io.muster.faults.TwoMusters.Replica;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Muster's processes are killed and restarted while coordinators wait for their answers. */
@ExtendWith(SandboxExtension.class)
@Order(1)
final class DiServerKillIT {

  private static final int JOBS = 20;
  private static final int LEASE_SECONDS = 8;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** DI-engine's five tries take four seconds. */
  private static final Duration TURNED_AWAY = Duration.ofSeconds(4);

  private static TwoMusters musters;

  @BeforeAll
  static void startTwo(Sandbox sandbox) {
    musters =
        TwoMusters.in(
            sandbox,
            InstantSource.system(),
            Map.of(
                "leaseDurationSeconds",
                LEASE_SECONDS,
                "bindTimeoutSeconds",
                2,
                "bindAddress",
                "0.0.0.0",
                "advertiseAddress",
                DiCoordinatorClient.addressOfThisMachine(),
                "diServices",
                true));
  }

  @AfterAll
  static void putOneBack() {
    musters.close();
  }

  private static String job(TestSpace space, int number) {
    return """
    apiVersion: diengine.opendilab.org/v1alpha1
    kind: DIJob
    metadata: {name: rl-%d}
    spec:
      coordinator: {template: {spec: %2$s}}
      collector: {template: {spec: %3$s}}
    """
        .formatted(number, pod(space, ""), pod(space, "resources: {limits: {nvidia.com/gpu: 1}}"));
  }

  private static String pod(TestSpace space, String more) {
    return "{terminationGracePeriodSeconds: 1, nodeSelector: {%s: %s}, containers: [{name: main, image: any, %s}]}"
        .formatted(TestSpace.SET_LABEL, space.namespace(), more);
  }

  private static DiCoordinatorClient coordinator(TestSpace space, int number) {
    return new DiCoordinatorClient(
        space.client(),
        "{\"namespace\":\"%s\",\"coordinator\":\"rl-%d-coordinator\",\"collectors\":{\"replicas\":2}}"
            .formatted(space.namespace(), number));
  }

  /** Row E22. */
  @Test
  void coordinatorsThatWaitGetWhatTheyAskedForOnce(TestSpace space) throws Exception {
    space.nodes(1, NodeShape.CPU);
    // Room for one collector, so that none of the pairs starts yet.
    space.nodes(1, NodeShape.GPU1);
    awaitEndpoints(space, 2);
    var jobs = new DiJobs(space);
    IntStream.range(0, JOBS).forEach(number -> jobs.create(job(space, number)));
    Await.until("the coordinators to run", LIMIT, () -> jobs.running().size() == JOBS);
    try (var seen = new PodsSeen(space);
        var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers =
          IntStream.range(0, JOBS)
              .mapToObj(number -> clients.submit(coordinator(space, number)))
              .toList();
      Await.until("their collectors", LIMIT, () -> jobs.pods().size() == 3 * JOBS);
      killTheLeader(space);
      for (var replica : musters.replicas()) {
        replica.process().terminate(LIMIT);
        assertThat(DiCoordinatorClient.endpoints(space.client())).hasSize(1);
        musters.settle();
        awaitEndpoints(space, 2);
      }
      assertThat(answers).noneMatch(Future::isDone);
      assertThat(jobs.pods()).hasSize(3 * JOBS);
      space.nodes(2 * JOBS / 8, NodeShape.GPU8);
      for (Future<DiCalls.Answer> answer : answers) {
        var reply = answer.get();
        assertThat(reply.isSuccess()).as(reply.body().toString()).isTrue();
        assertThat(reply.list("collectors")).hasSize(2);
      }
      assertThat(jobs.pods()).hasSize(3 * JOBS);
      assertThat(jobs.running()).hasSize(3 * JOBS);
      for (var pod : List.copyOf(jobs.pods().keySet())) {
        assertThat(seen.uids(pod)).as(pod).hasSize(1);
      }
    }
  }

  /** Long before anybody leads again, whoever waited there waits at the other one. */
  private static void killTheLeader(TestSpace space) {
    var leader = musters.leader().orElseThrow();
    var other = musters.other(leader);
    leader.process().kill();
    Await.until(
        "callers to be led to the other alone",
        TURNED_AWAY,
        () -> DiCoordinatorClient.endpoints(space.client()).size() == 1);
    Await.until("all calls to be held there", TURNED_AWAY, () -> held(other) == JOBS);
    musters.settle();
    awaitEndpoints(space, 2);
  }

  private static int held(Replica replica) {
    return replica.process().metric("muster_di_held").map(Double::intValue).orElse(0);
  }

  private static void awaitEndpoints(TestSpace space, int count) {
    Await.until(
        count + " to serve",
        LIMIT,
        () -> DiCoordinatorClient.endpoints(space.client()).size() == count);
  }
}
