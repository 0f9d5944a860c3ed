package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.muster.controller.core.state.Member;
import java.util.Optional;
import java.util.Set;

/** How far a pod has come, as the engine sees it. */
public final class PodEnds {

  private static final Set<String> NOT_ITS_FAULT =
      Set.of("UnexpectedAdmissionError", "Evicted", "NodeShutdown", "NodeLost", "Terminated");
  private static final String NO_ROOM = "OutOf";

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

  /** Whether it has done its work, or will not. */
  public static boolean hasEnded(Pod pod) {
    return switch (phase(pod)) {
      case SUCCEEDED, FAILED -> true;
      case PENDING, RUNNING -> false;
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

  /** Whether a pod that has failed was ended by others: its kubelet, or who makes room. */
  public static boolean isBlameless(Pod pod) {
    var reason = Optional.ofNullable(pod.getStatus()).map(PodStatus::getReason).orElse("");
    return NOT_ITS_FAULT.contains(reason)
        || reason.startsWith(NO_ROOM)
        || has(pod, "DisruptionTarget");
  }

  /** Whether it does its work and is to stay. */
  public static boolean isReady(Pod pod) {
    return has(pod, "Ready") && !pod.isMarkedForDeletion();
  }

  private static boolean has(Pod pod, String condition) {
    return Optional.ofNullable(pod.getStatus()).map(PodStatus::getConditions).stream()
        .flatMap(conditions -> conditions.stream())
        .anyMatch(known -> known.getType().equals(condition) && "True".equals(known.getStatus()));
  }
}
