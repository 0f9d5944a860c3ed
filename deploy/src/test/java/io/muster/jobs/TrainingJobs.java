package io.muster.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Condition;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobStatus;
import io.muster.kit.Launcher;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Training jobs of one test, whose launchers really run. Confined to the test's thread. */
final class TrainingJobs {

  static final Duration SOON = Duration.ofSeconds(30);

  private final TestSpace space;
  private final Launchers launchers;

  TrainingJobs(TestSpace space, Launchers launchers) {
    this.space = space;
    this.launchers = launchers;
  }

  /** A manifest with two workers of one GPU each; its parts can be replaced as text. */
  String manifest(String name) {
    return """
    apiVersion: kai.alibabacloud.com/v1alpha1
    kind: TrainingJob
    metadata:
      name: %1$s
      annotations: {}
    spec:
      cleanPodPolicy: Running
      etReplicaSpecs:
        launcher:
          replicas: 1
          template:
            spec:
              terminationGracePeriodSeconds: 1
              nodeSelector: {sandbox.muster.io/set: %2$s}
              containers:
              - name: mnist-elastic
                image: any
                command: [sh, -c, horovodrun -np 2 --min-np 1 --max-np 9
                  --host-discovery-script /etc/edl/discover_hosts.sh python train.py]
                env:
                - {name: KIT_READ_TICKS, value: "1"}
                - {name: KIT_COMMIT_TICKS, value: "2"}
        worker:
          replicas: 2
          minReplicas: 1
          maxReplicas: 9
          template:
            spec:
              terminationGracePeriodSeconds: 1
              nodeSelector: {sandbox.muster.io/set: %2$s}
              containers:
              - name: mnist-elastic
                image: any
                resources:
                  limits: {nvidia.com/gpu: "1"}
    """
        .formatted(name, space.namespace());
  }

  void create(String manifest) {
    load(manifest).forEach(object -> space.client().resource(object).create());
  }

  private List<HasMetadata> load(String manifest) {
    var objects = space.client().load(new ByteArrayInputStream(manifest.getBytes(UTF_8))).items();
    objects.forEach(object -> object.getMetadata().setNamespace(space.namespace()));
    return objects;
  }

  /** A job of two workers that runs. */
  Launcher running(String name) {
    create(manifest(name));
    awaitPhase(name, "Running");
    return launcher(name);
  }

  Launcher launcher(String job) {
    return launchers.launcher(space.namespace(), job + "-launcher");
  }

  void scaleIn(String name, String job, String toDelete) {
    create(scaler("ScaleIn", name, job, "toDelete: " + toDelete));
  }

  void scaleOut(String name, String job, String more) {
    create(scaler("ScaleOut", name, job, more));
  }

  private static String scaler(String kind, String name, String job, String more) {
    return """
    apiVersion: kai.alibabacloud.com/v1alpha1
    kind: %s
    metadata: {name: %s}
    spec:
      selector: {name: %s}
      %s
    """
        .formatted(kind, name, job, more);
  }

  Optional<TrainingJob> job(String name) {
    return Optional.ofNullable(
        space
            .client()
            .resources(TrainingJob.class)
            .inNamespace(space.namespace())
            .withName(name)
            .get());
  }

  TrainingJobStatus status(String name) {
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

  /** The types of its conditions, the latest last. */
  List<String> conditions(String name) {
    return types(status(name).conditions());
  }

  static List<String> types(List<Condition> conditions) {
    return conditions.stream().map(Condition::type).toList();
  }

  ScaleIn scaleIn(String name) {
    return space
        .client()
        .resources(ScaleIn.class)
        .inNamespace(space.namespace())
        .withName(name)
        .get();
  }

  ScaleOut scaleOut(String name) {
    return space
        .client()
        .resources(ScaleOut.class)
        .inNamespace(space.namespace())
        .withName(name)
        .get();
  }

  /** The last condition of a scaler, which kubectl prints as its phase. */
  Optional<Condition> last(String kind, String name) {
    var conditions =
        kind.equals("ScaleIn")
            ? Optional.ofNullable(scaleIn(name).getStatus()).map(s -> s.conditions())
            : Optional.ofNullable(scaleOut(name).getStatus()).map(s -> s.conditions());
    return conditions.filter(all -> !all.isEmpty()).map(List::getLast);
  }

  void awaitEnd(String kind, String name, String type) {
    awaitEnd(kind, name, type, SOON.multipliedBy(2));
  }

  void awaitEnd(String kind, String name, String type, Duration limit) {
    Await.until(
        kind + " " + name + " to end",
        limit,
        () ->
            last(kind, name)
                .filter(
                    last -> last.type().startsWith("ScaleS") || last.type().equals("ScaleFailed"))
                .isPresent());
    var last = last(kind, name).orElseThrow();
    if (!last.type().equals(type)) {
      throw new AssertionError("%s %s is %s".formatted(kind, name, last));
    }
  }

  List<Pod> pods() {
    return space.client().pods().inNamespace(space.namespace()).list().getItems();
  }

  List<String> podNames() {
    return pods().stream().map(pod -> pod.getMetadata().getName()).sorted().toList();
  }

  List<String> serviceNames() {
    return space.client().services().inNamespace(space.namespace()).list().getItems().stream()
        .map(service -> service.getMetadata().getName())
        .sorted()
        .toList();
  }

  /** Names of pods that are on a node. */
  List<String> bound() {
    return pods().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .map(pod -> pod.getMetadata().getName())
        .sorted()
        .toList();
  }

  List<String> events(String object) {
    return space.events(object);
  }

  List<String> printed(String... what) {
    return space.printed(what);
  }
}
