package io.muster.played;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.sandbox.Layout;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/** A job of each kind that the chart can bring, small enough for the nodes of a test. */
enum KindJob {
  ETOPERATOR("etoperator", "trainingjobs.kai.alibabacloud.com", "elastic", "Running"),
  DLROVER("dlrover", "elasticjobs.elastic.iml.github.io", "torch-mnist", "Running"),
  DI("di", "dijobs.diengine.opendilab.org", "job-with-tasks", "Running"),
  PADDLE("paddle", "trainingjobs.paddlepaddle.org", "example", "running");

  private final String key;
  private final String resource;
  private final String job;
  private final String phase;

  /**
   * @param key of the chart's jobKinds
   * @param phase in which its pods run
   */
  KindJob(String key, String resource, String job, String phase) {
    this.key = key;
    this.resource = resource;
    this.job = job;
    this.phase = phase;
  }

  /** The value of the chart that turns it on or off. */
  String set() {
    return "jobKinds." + key;
  }

  /** Creates it, and what its example has beside it. */
  List<HasMetadata> create(TestSpace space) throws IOException {
    return space
        .client()
        .load(new ByteArrayInputStream(manifest(space).getBytes(StandardCharsets.UTF_8)))
        .items()
        .stream()
        .map(object -> {
          object.getMetadata().setNamespace(space.namespace());
          return space.client().resource(object).create();
        })
        .toList();
  }

  /** Whether its status says that it runs. */
  boolean runs(TestSpace space) {
    return space
        .sandbox()
        .kubectl("get", resource, job, "-n", space.namespace(), "-o", "jsonpath={.status.phase}")
        .equals(phase);
  }

  private String manifest(TestSpace space) throws IOException {
    return switch (this) {
      case DI -> onNodes(example("di-orchestrator/job-with-tasks.yaml"), space);
      case DLROVER -> onNodes(example("dlrover/torch-mnist-builtin.yaml"), space);
      case ETOPERATOR ->
          onNodes(
              """
              apiVersion: kai.alibabacloud.com/v1alpha1
              kind: TrainingJob
              metadata: {name: elastic}
              spec:
                etReplicaSpecs:
                  launcher:
                    replicas: 1
                    template:
                      spec:
                        containers:
                        - {name: main, image: any}
                  worker:
                    replicas: 2
                    template:
                      spec:
                        containers:
                        - {name: main, image: any}
              """,
              space);
      case PADDLE ->
          example("paddle-edl/examplejob.yaml")
              .replace(
                  "name: example\n",
                  "name: example\n  annotations: {muster.io/grace-seconds: \"1\"}\n")
              .replace("spec:\n", "spec:\n  nodeSelector: {%s}\n".formatted(selector(space)));
    };
  }

  /** Its pods go to the nodes of the test, and go quickly. */
  private static String onNodes(String manifest, TestSpace space) {
    return manifest.replaceAll(
        "(?m)^( +)containers:$",
        "$1terminationGracePeriodSeconds: 1\n$1nodeSelector: {%s}\n$1containers:"
            .formatted(selector(space)));
  }

  private static String selector(TestSpace space) {
    return TestSpace.SET_LABEL + ": " + space.namespace();
  }

  private static String example(String file) throws IOException {
    return Files.readString(Layout.current().deploy().resolveSibling("examples").resolve(file));
  }
}
