package io.muster.controller.kinds.paddle;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.Fault;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.state.Observed;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobSpec;
import io.muster.controller.kinds.paddle.api.PaddleValidation;
import io.muster.controller.kinds.paddle.api.ScaleRecords;
import io.muster.controller.kinds.paddle.api.ScaleRecords.ScaleRecord;
import io.muster.controller.kinds.paddle.api.TrainerSpec;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.GangSight;
import io.muster.extender.core.protocol.GangReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A TrainingJob and its pods as they are stored, in virtual time. Confined to one thread. */
final class PlayedJob {

  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  PaddleJob job;
  final Map<String, Pod> pods = new TreeMap<>();
  final List<String> events = new ArrayList<>();
  Instant now = START;
  Optional<Observed.Refusal> refusal = Optional.empty();

  /** What those say of its gang who place it. */
  Optional<GangReport> report = Optional.empty();

  /** Pods that find room. */
  int room = Integer.MAX_VALUE;

  /** Pods that its namespace may have. */
  int quota = Integer.MAX_VALUE;

  private int uids;

  PlayedJob(String yaml) {
    job = Serialization.unmarshal(yaml, PaddleJob.class);
    job.getMetadata().setNamespace("ml");
    job.getMetadata().setUid("u");
    job.getMetadata().setGeneration(1L);
    job.getMetadata().setCreationTimestamp(START.toString());
    if (job.getMetadata().getAnnotations() == null) {
      job.getMetadata().setAnnotations(new HashMap<>());
    }
  }

  /** The one of the tutorial, as the API server stores it. */
  static PlayedJob example() {
    try {
      return new PlayedJob(
          new String(Files.readAllBytes(Path.of("../examples/paddle-edl/examplejob.yaml")), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One that has no master. */
  static PlayedJob rigid() {
    return new PlayedJob(
        """
        apiVersion: paddlepaddle.org/v1
        kind: TrainingJob
        metadata: {name: rigid}
        spec:
          trainer: {entrypoint: train, min-instance: 2, max-instance: 2}
          pserver: {min-instance: 1}
        """);
  }

  PlayedJob annotated(String key, String value) {
    job.getMetadata().getAnnotations().put(key, value);
    return this;
  }

  /** Another range or size, as an edit of the job. */
  void edit(Integer most, Integer exact) {
    var spec = job.getSpec();
    var was = spec.trainer();
    var trainer =
        new TrainerSpec(
            was.entrypoint(),
            was.workspace(),
            was.passes(),
            was.minInstance(),
            most,
            exact,
            was.resources(),
            null,
            null);
    job.setSpec(
        new PaddleJobSpec(
            spec.image(),
            spec.port(),
            spec.ports(),
            spec.sparsePorts(),
            spec.faultTolerant(),
            spec.passes(),
            spec.volumes(),
            spec.mounts(),
            spec.mountsInLowerCase(),
            spec.imagePullSecrets(),
            spec.hostNetwork(),
            spec.hostNetworkInLowerCase(),
            spec.hostNetworkInSnakeCase(),
            spec.nodeSelector(),
            spec.nodeSelectorInLowerCase(),
            trainer,
            spec.pserver(),
            spec.master()));
  }

  /** Goes on for so many seconds. */
  PlayedJob run(int seconds) {
    for (int second = 0; second < seconds; second++) {
      pods.values().removeIf(Pod::isMarkedForDeletion);
      begin();
      look();
      now = now.plusSeconds(1);
    }
    return this;
  }

  private void begin() {
    int left = room - (int) pods.values().stream().filter(pod -> is(pod, "Running")).count();
    for (var pod : List.copyOf(pods.values())) {
      if (is(pod, "Pending") && left > 0) {
        left--;
        put(
            new PodBuilder(pod)
                .editSpec()
                .withNodeName("n1")
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .withHostIP("10.0.0.1")
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build());
      }
    }
  }

  private void look() {
    var state = PaddleJobStatusMapper.state(job);
    var uid = job.getMetadata().getUid();
    var seen = List.copyOf(pods.values());
    var members = seen.stream().flatMap(pod -> PaddleJobMembers.of(pod, uid).stream()).toList();
    var problems =
        state.targets().isEmpty()
            ? PaddleValidation.in(job).stream().map(Fault::toString).toList()
            : List.<String>of();
    var outcome =
        JobEngine.reconcile(
            PaddleJobSpecMapper.job(job, state, problems),
            state,
            List.of(),
            new Observed(
                members,
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Map.of(),
                refusal.stream().toList(),
                Map.of()),
            now);
    var gang =
        outcome.state().targets().isEmpty()
            ? GangSight.NONE
            : GangSight.of(seen, PaddleJobSpecMapper.startingPods(job), report);
    var decided = new DecidedJob<>(job, outcome.state(), seen, members, gang, outcome.news(), now);
    var status = PaddleJobStatusMapper.status(decided);
    job.setStatus(Serialization.clone(status));
    outcome.news().stream()
        .flatMap(item -> PaddleJobMessages.remarks(decided, status, item).stream())
        .forEach(remark -> events.add(remark.reason() + ": " + remark.message()));
    PaddleJobMessages.waiting(decided, status)
        .forEach(remark -> events.add(remark.reason() + ": " + remark.message()));
    outcome.actions().forEach(this::act);
  }

  private void act(Action action) {
    switch (action) {
      case Action.Create _ when pods.size() >= quota -> {}
      case Action.Create create -> {
        uids++;
        put(
            new PodBuilder(PaddleJobPods.pod(job, create))
                .editMetadata()
                .withUid("p" + uids)
                .withCreationTimestamp(Conditions.time(now))
                .endMetadata()
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build());
      }
      case Action.Delete(String name, String _) ->
          pods.get(name).getMetadata().setDeletionTimestamp(Conditions.time(now));
      case Action.Prepare _ -> {}
      default -> throw new IllegalStateException("nobody asks so: " + action);
    }
  }

  private void put(Pod pod) {
    pods.put(pod.getMetadata().getName(), pod);
  }

  /** Ends a pod as its kubelet reports it. */
  void end(String name, int exitCode, String message) {
    put(
        new PodBuilder(pods.get(name))
            .editStatus()
            .withPhase(exitCode == 0 ? "Succeeded" : "Failed")
            .withContainerStatuses(
                new ContainerStatusBuilder()
                    .withName("trainer")
                    .withNewState()
                    .withNewTerminated()
                    .withExitCode(exitCode)
                    .withMessage(message)
                    .endTerminated()
                    .endState()
                    .build())
            .endStatus()
            .build());
  }

  PaddleJobSize size() {
    return PaddleJobSize.of(job, List.copyOf(pods.values()));
  }

  /** Does what those decide who share the room out. */
  void decide(Decision decision) {
    annotated(TrainerDecision.KEY, size().after(decision, now).written());
  }

  /** Names of pods that run, without the job's. */
  List<String> running() {
    return pods.entrySet().stream()
        .filter(pod -> is(pod.getValue(), "Running") && !pod.getValue().isMarkedForDeletion())
        .map(pod -> pod.getKey().substring(job.getMetadata().getName().length() + 1))
        .toList();
  }

  String phase() {
    return job.getStatus().phase();
  }

  String reason() {
    return job.getStatus().reason();
  }

  List<ScaleRecord> records() {
    return Optional.ofNullable(job.getStatus().scaleRecords())
        .map(ScaleRecords::records)
        .orElse(List.of());
  }

  private static boolean is(Pod pod, String phase) {
    return pod.getStatus().getPhase().equals(phase);
  }
}
