package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Elastic training beside an online service, a tenth of the experiment that PaddlePaddle EDL
 * published: 13 nodes, and a Deployment that goes from 40 pods to 10 and back.
 */
@ExtendWith(SandboxExtension.class)
final class HybridIT {

  private static final int NODES = 13;
  private static final int BUSY = 40;
  private static final int CALM = 10;
  private static final int LEAST = 2;
  private static final int MOST = 12;

  /** CPUs of a node, of a trainer, of a pod of the service. */
  private static final int NODE_CPUS = 16;

  private static final int TRAINER_CPUS = 5;
  private static final int SERVICE_CPUS = 3;

  /** Trainers' room that is kept for one more gang: for its least, and for its other pods. */
  private static final int KEPT = LEAST + 2;

  /** Grace of a trainer, and what a service may wait beyond it. */
  private static final Duration SERVED = Duration.ofSeconds(31);

  private static final Duration GROWN = Duration.ofSeconds(60);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final List<String> JOBS = List.of("first", "second", "third");

  private static String example(String name) throws IOException {
    return Files.readString(
        Layout.current().deploy().resolveSibling("examples/paddle-edl/" + name));
  }

  private static String job(TestSpace space, String name) throws IOException {
    return example("examplejob.yaml")
        .replace(
            "  name: example\n",
            "  name: %s\n  annotations: {muster.io/grace-seconds: \"1\"}\n".formatted(name))
        .replace(
            "spec:\n",
            "spec:\n  nodeSelector: {%s: %s}\n".formatted(TestSpace.SET_LABEL, space.namespace()))
        .replace("max-instance: 10", "max-instance: " + MOST)
        .replaceAll("cpu: \"(500m|800m|1)\"", "cpu: \"2\"")
        .replaceAll("cpu: \"200m\"", "cpu: \"" + TRAINER_CPUS + "\"")
        .replace("memory: \"1Gi\"", "memory: \"600Mi\"");
  }

  private static String service(TestSpace space) throws IOException {
    return example("nginx.yaml")
        .replace("replicas: 5", "replicas: " + BUSY)
        .replaceAll("cpu: \"\\d+m\"", "cpu: \"" + SERVICE_CPUS + "\"")
        .replace(
            "      containers:\n",
            "      terminationGracePeriodSeconds: 1\n      nodeSelector: {%s: %s}\n      containers:\n"
                .formatted(TestSpace.SET_LABEL, space.namespace()));
  }

  private static long running(DiJobs jobs, String part) {
    return jobs.running().stream().filter(name -> name.startsWith(part)).count();
  }

  /** Those that are on their way out included. */
  private static long there(DiJobs jobs, String part) {
    return jobs.pods().keySet().stream().filter(name -> name.startsWith(part)).count();
  }

  private static long trainers(DiJobs jobs) {
    return JOBS.stream().mapToLong(job -> running(jobs, job + "-trainer-")).sum();
  }

  private static MusterProcess muster(TestSpace space) {
    return space.sandbox().muster().orElseThrow();
  }

  /** Trainers of all jobs by Muster's account: those that run, for instance, or the least. */
  private static double shown(TestSpace space, String count) {
    return muster(space).metrics("muster_elastic_workers").entrySet().stream()
        .filter(series -> series.getKey().contains("\"" + space.namespace() + "\""))
        .filter(series -> series.getKey().contains("\"" + count + "\""))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** CPU of the whole cluster by Muster's account. */
  private static double inAll(TestSpace space, String what) {
    return muster(space)
        .metric("muster_requests_%s{resource=\"cpu\"}".formatted(what))
        .orElseThrow();
  }

  private static boolean isEachWhole(DiJobs jobs) {
    return JOBS.stream().allMatch(job -> running(jobs, job + "-trainer-") >= LEAST);
  }

  /** Trainers that there is room for beside all other pods, where those are now. */
  private static long packable(DiJobs jobs) {
    var taken = new HashMap<String, Integer>();
    jobs.pods()
        .forEach((name, pod) -> {
          if (!name.contains("-trainer-") && pod.getSpec().getNodeName() != null) {
            taken.merge(pod.getSpec().getNodeName(), cpus(pod), Integer::sum);
          }
        });
    int nodes = NODES - taken.size();
    long beside =
        taken.values().stream().mapToLong(cpus -> (NODE_CPUS - cpus) / TRAINER_CPUS).sum();
    return Math.min((long) JOBS.size() * MOST, beside + (long) nodes * (NODE_CPUS / TRAINER_CPUS));
  }

  private static int cpus(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .flatMap(container ->
            Optional.ofNullable(container.getResources().getRequests().get("cpu")).stream())
        .mapToInt(
            cpu -> Quantity.getAmountInBytes(cpu).setScale(0, RoundingMode.UP).intValueExact())
        .sum();
  }

  private static void scale(DiJobs jobs, int replicas) {
    jobs.kubectl("scale", "deployment", "nginx-deployment", "--replicas=" + replicas);
  }

  /** Rows A6, A13, A14, A21, A22. */
  @Test
  void trainingTakesWhatAServiceLeavesAndGivesItBack(TestSpace space) throws IOException {
    space.nodes(NODES, NodeShape.CPU);
    var jobs = new DiJobs(space);
    jobs.create(service(space));
    Await.until("the service to run", SOON, () -> running(jobs, "nginx") == BUSY);
    for (var job : JOBS) {
      jobs.create(job(space, job));
    }
    Await.until("all jobs to run", SOON, () -> isEachWhole(jobs));
    long beside = trainers(jobs);

    scale(jobs, CALM);
    Await.until(
        "the room to be used",
        GROWN,
        () -> there(jobs, "nginx") == CALM && trainers(jobs) >= packable(jobs) - KEPT);
    long alone = trainers(jobs);
    assertThat(alone).isGreaterThan(beside);
    assertThat(JOBS)
        .allSatisfy(job ->
            assertThat(running(jobs, job + "-trainer-")).isBetween((long) LEAST, (long) MOST));

    scale(jobs, BUSY);
    Await.until(
        "the service to be whole again",
        SERVED,
        () -> {
          assertThat(isEachWhole(jobs)).as("nobody goes below its least").isTrue();
          return running(jobs, "nginx") == BUSY;
        });
    assertThat(trainers(jobs)).isLessThan(alone);
    assertThat(JOBS)
        .flatExtracting(jobs::events)
        .anyMatch(event -> event.startsWith("ScaleIn: gives back "));
    Await.until(
        "the gauges to say so",
        SOON,
        () ->
            shown(space, "running") == trainers(jobs)
                && shown(space, "least") == JOBS.size() * LEAST);
    // Other tests may run in the same cluster: it is at least what this one asks for.
    assertThat(inAll(space, "asked")).isGreaterThanOrEqualTo((double) BUSY * SERVICE_CPUS);
    assertThat(inAll(space, "offered")).isGreaterThanOrEqualTo((double) NODES * NODE_CPUS);
    assertThat(Files.readString(muster(space).log()))
        .containsPattern(
            "\"kind\":\"paddle\".*\"waitingPods\":\"?[1-9].*\"cpuMillisAsked\":\"?\\d+"
                + ".*\"cpuMillisOffered\":\"?\\d+.*the capacity was checked");
  }
}
