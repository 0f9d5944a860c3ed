package io.muster.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Condition;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobStatus;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** DLRover's jobs of one test. Confined to the test's thread. */
final class ElasticJobs {

  static final Duration SOON = Duration.ofSeconds(30);

  private final TestSpace space;

  ElasticJobs(TestSpace space) {
    this.space = space;
  }

  /** The tutorial's manifest, in the test's namespace and on its nodes. */
  String example(String file, String name) {
    try {
      return Files.readString(
              Layout.current().deploy().resolveSibling("examples/dlrover/" + file + ".yaml"))
          .replace("namespace: dlrover", "namespace: " + space.namespace())
          .replaceAll("name: torch-mnist(-gang)?\n", "name: " + name + "\n")
          .replace(
              "          restartPolicy: Always\n",
              "          restartPolicy: Always\n          terminationGracePeriodSeconds: 1\n"
                  + "          nodeSelector: {sandbox.muster.io/set: %s}\n"
                      .formatted(space.namespace()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void create(String manifest) {
    space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(UTF_8)))
        .items()
        .forEach(object -> space.client().resource(object).create());
  }

  /** The same, with its workers made by Muster. */
  static String builtin(String manifest) {
    return manifest.replaceFirst(
        "metadata:\n", "metadata:\n  annotations: {muster.io/dlrover-mode: builtin}\n");
  }

  /** A user's plan for job torch-mnist. */
  String planOf(String name, String sizes) {
    return """
    apiVersion: elastic.iml.github.io/v1alpha1
    kind: ScalePlan
    metadata:
      name: %s
      namespace: %s
      labels: {scale-type: manual, elasticjob-name: torch-mnist}
    spec:
      ownerJob: torch-mnist
      replicaResourceSpecs: {%s}
    """
        .formatted(name, space.namespace(), sizes);
  }

  void plan(String name, String sizes) {
    create(planOf(name, sizes));
  }

  Optional<ElasticJob> job(String name) {
    return Optional.ofNullable(
        space
            .client()
            .resources(ElasticJob.class)
            .inNamespace(space.namespace())
            .withName(name)
            .get());
  }

  ElasticJobStatus status(String name) {
    return job(name).flatMap(job -> Optional.ofNullable(job.getStatus())).orElseThrow();
  }

  String phase(String name) {
    return job(name)
        .flatMap(job -> Optional.ofNullable(job.getStatus()))
        .flatMap(status -> Optional.ofNullable(status.phase()))
        .orElse("");
  }

  void awaitPhase(String name, String phase) {
    Await.until(name + " to be " + phase, SOON, () -> phase(name).equals(phase));
  }

  Optional<Condition> condition(String name, String type) {
    return status(name).status().conditions().stream()
        .filter(condition -> condition.type().equals(type))
        .findFirst();
  }

  /** As soon after its cause as it is to be there. */
  void awaitCondition(String name, String type, String status, String message) {
    Await.until(
        type + " to be " + status,
        Duration.ofSeconds(10),
        () ->
            condition(name, type)
                .filter(condition -> condition.status().equals(status))
                .filter(condition -> condition.message().startsWith(message))
                .isPresent());
  }

  void suspend(String name, boolean isSuspended) {
    kubectl(
        "patch",
        "elasticjob",
        name,
        "--type",
        "merge",
        "-p",
        "{\"spec\":{\"suspend\":%s}}".formatted(isSuspended));
  }

  List<Pod> pods(String job, String role) {
    return space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withLabel("elasticjob.dlrover/name", job)
        .withLabel("elasticjob.dlrover/replica-type", role)
        .list()
        .getItems();
  }

  List<Pod> workers(String job) {
    return pods(job, "worker");
  }

  long running(String job) {
    return workers(job).stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .count();
  }

  void awaitWorkers(String job, int count) {
    Await.until(count + " workers of " + job, SOON, () -> workers(job).size() == count);
  }

  void awaitRunning(String job, int count) {
    Await.until(count + " workers of " + job + " to run", SOON, () -> running(job) == count);
  }

  long bound(String job) {
    return workers(job).stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  List<String> events(String object) {
    return space.events(object);
  }

  String kubectl(String... arguments) {
    return space
        .sandbox()
        .kubectl(
            Stream.concat(Stream.of(arguments), Stream.of("-n", space.namespace()))
                .toArray(String[]::new));
  }

  List<String> printed(String... what) {
    return space.printed(what);
  }

  /** What kubectl says when it would create that. */
  String warnings(String manifest) {
    return space.warnings(manifest);
  }
}
