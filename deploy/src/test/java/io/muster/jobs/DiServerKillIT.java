package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Muster is killed while coordinators wait for their answers, and started again. */
@ExtendWith(SandboxExtension.class)
final class DiServerKillIT {

  private static final int JOBS = 20;
  private static final int TRIES = 30;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private MusterProcess muster;

  @BeforeEach
  void find(Sandbox sandbox) {
    muster = sandbox.muster().orElseThrow();
  }

  @AfterEach
  void startAgain() {
    if (!muster.isAlive()) {
      muster.start();
    }
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

  /** As DI-engine's coordinator asks: a lost connection is tried again, but for longer. */
  private DiCalls.Answer ask(TestSpace space, int number) throws InterruptedException {
    var body =
        "{\"namespace\":\"%s\",\"coordinator\":\"rl-%d-coordinator\",\"collectors\":{\"replicas\":2}}"
            .formatted(space.namespace(), number);
    for (int tries = 1; ; tries++) {
      try (var calls = new DiCalls(muster.diUrl())) {
        return DiCalls.result(calls.begin("POST", "/v1alpha1/replicas", body));
      } catch (IllegalStateException e) {
        if (tries == TRIES) {
          throw e;
        }
        Thread.sleep(PAUSE);
      }
    }
  }

  /** Row E22. */
  @Test
  void coordinatorsThatWaitGetWhatTheyAskedForOnce(TestSpace space) throws Exception {
    space.nodes(1, NodeShape.CPU);
    var jobs = new DiJobs(space);
    IntStream.range(0, JOBS).forEach(number -> jobs.create(job(space, number)));
    Await.until(
        "the coordinators to run",
        DiJobs.SOON.multipliedBy(2),
        () -> jobs.running().size() == JOBS);
    try (var seen = new PodsSeen(space);
        var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers =
          IntStream.range(0, JOBS)
              .mapToObj(
                  number -> clients.submit((Callable<DiCalls.Answer>) () -> ask(space, number)))
              .toList();
      Await.until(
          "their collectors", DiJobs.SOON.multipliedBy(2), () -> jobs.pods().size() == 3 * JOBS);
      muster.kill();
      muster.start();
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
}
