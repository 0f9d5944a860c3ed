package io.muster.controller.kai;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Member;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads the pods of a TrainingJob as its members. */
final class Members {

  private Members() {}

  /** Empty for a pod that is none of the job's own. */
  static Optional<Member> of(Pod pod, String jobUid) {
    var labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
    var role = labels.get(Names.ROLE_LABEL);
    if (role == null || !Names.isOwned(pod, jobUid)) {
      return Optional.empty();
    }
    var status = Optional.ofNullable(pod.getStatus());
    return Optional.of(
        new Member(
            pod.getMetadata().getName(),
            pod.getMetadata().getUid(),
            role,
            Integer.parseInt(labels.getOrDefault(Names.INDEX_LABEL, "0")),
            phase(status.map(s -> s.getPhase()).orElse("")),
            pod.getMetadata().getDeletionTimestamp() != null,
            Optional.ofNullable(pod.getSpec().getNodeName()),
            Optional.ofNullable(labels.get(Names.SCALE_OUT_LABEL))
                .map(
                    name -> ScalerWords.id(ScalerForm.OUT, pod.getMetadata().getNamespace(), name)),
            status.map(s -> s.getReason()),
            exitCode(status.map(s -> s.getContainerStatuses()).orElse(List.of())),
            Instant.parse(pod.getMetadata().getCreationTimestamp())));
  }

  private static Member.Phase phase(String phase) {
    return switch (phase) {
      case "Running" -> Member.Phase.RUNNING;
      case "Succeeded" -> Member.Phase.SUCCEEDED;
      case "Failed" -> Member.Phase.FAILED;
      default -> Member.Phase.PENDING;
    };
  }

  private static Optional<Integer> exitCode(List<ContainerStatus> statuses) {
    return statuses.stream()
        .flatMap(status -> Optional.ofNullable(status.getState()).stream())
        .flatMap(state -> Optional.ofNullable(state.getTerminated()).stream())
        .map(terminated -> terminated.getExitCode())
        .findFirst();
  }
}
