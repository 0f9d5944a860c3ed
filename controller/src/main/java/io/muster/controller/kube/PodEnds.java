package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Member;
import java.util.Optional;

/** How far a pod has come, as the engine sees it. */
public final class PodEnds {

  private PodEnds() {}

  public static Member.Phase phase(Pod pod) {
    var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    return switch (phase) {
      case "Running" -> Member.Phase.RUNNING;
      case "Succeeded" -> Member.Phase.SUCCEEDED;
      case "Failed" -> Member.Phase.FAILED;
      case null, default -> Member.Phase.PENDING;
    };
  }

  /** Of the first of its containers that has ended; an evicted pod may have none. */
  public static Optional<ContainerStateTerminated> end(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).stream()
        .flatMap(status -> status.getContainerStatuses().stream())
        .flatMap(container -> Optional.ofNullable(container.getState()).stream())
        .flatMap(state -> Optional.ofNullable(state.getTerminated()).stream())
        .findFirst();
  }
}
