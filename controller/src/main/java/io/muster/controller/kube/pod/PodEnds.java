package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.muster.controller.core.state.Member;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** How far a pod has come, as the engine sees it. */
public final class PodEnds {

  private static final Set<String> NOT_ITS_FAULT =
      Set.of("UnexpectedAdmissionError", "Evicted", "NodeShutdown", "NodeLost", "Terminated");
  private static final String NO_ROOM = "OutOf";
  private static final String DISRUPTED = "DisruptionTarget";

  /** Clocks of nodes differ, and a pod that is asked to go may die at once. */
  private static final long SECONDS_APART = 5;

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

  /**
   * Whether it is deleted, and did not end by itself before: what it does from then on says nothing
   * of its work. One that ended before is still there where a finalizer keeps it.
   */
  public static boolean isCutShort(Pod pod) {
    return pod.isMarkedForDeletion() && !(hasEnded(pod) && isOlderThanDeletion(pod));
  }

  /** Whether all of its containers ended before somebody deleted it. */
  private static boolean isOlderThanDeletion(Pod pod) {
    long grace = Objects.requireNonNullElse(pod.getMetadata().getDeletionGracePeriodSeconds(), 0L);
    long deletedAt = seconds(pod.getMetadata().getDeletionTimestamp()) - grace;
    var containers = pod.getStatus().getContainerStatuses();
    return !containers.isEmpty()
        && containers.stream()
            .allMatch(container ->
                Optional.ofNullable(container.getState())
                    .map(ContainerState::getTerminated)
                    .map(ContainerStateTerminated::getFinishedAt)
                    .filter(end -> seconds(end) < deletedAt - SECONDS_APART)
                    .isPresent());
  }

  private static long seconds(String time) {
    return Instant.parse(time).getEpochSecond();
  }

  /** Of the first of its containers that has ended; an evicted pod may have none. */
  public static Optional<ContainerStateTerminated> end(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).stream()
        .flatMap(status -> status.getContainerStatuses().stream())
        .flatMap(container -> Optional.ofNullable(container.getState()).stream())
        .flatMap(state -> Optional.ofNullable(state.getTerminated()).stream())
        .findFirst();
  }

  /** Why others ended it, in a word: DeletionByPodGC where its node is gone. */
  public static Optional<String> disruption(Pod pod) {
    return conditions(pod)
        .filter(known -> known.getType().equals(DISRUPTED) && "True".equals(known.getStatus()))
        .flatMap(known -> Optional.ofNullable(known.getReason()).stream())
        .findFirst();
  }

  /** Whether a pod that has failed was ended by others: its kubelet, or who makes room. */
  public static boolean isBlameless(Pod pod) {
    var reason = Optional.ofNullable(pod.getStatus()).map(PodStatus::getReason).orElse("");
    return NOT_ITS_FAULT.contains(reason) || reason.startsWith(NO_ROOM) || has(pod, DISRUPTED);
  }

  /** Whether it does its work and is to stay. */
  public static boolean isReady(Pod pod) {
    return has(pod, "Ready") && !pod.isMarkedForDeletion();
  }

  private static boolean has(Pod pod, String condition) {
    return conditions(pod)
        .anyMatch(known -> known.getType().equals(condition) && "True".equals(known.getStatus()));
  }

  private static Stream<PodCondition> conditions(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).map(PodStatus::getConditions).stream()
        .flatMap(List::stream);
  }
}
