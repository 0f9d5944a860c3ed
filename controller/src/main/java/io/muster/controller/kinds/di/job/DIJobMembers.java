package io.muster.controller.kinds.di.job;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.controller.kube.pod.PodMember;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads a pod of a DIJob as its member. It runs once it is ready, and ends with its main container,
 * whatever goes on beside that.
 */
public final class DIJobMembers {

  private static final int ASKED_TO_GO = 143;

  private DIJobMembers() {}

  /**
   * Which member a pod is.
   *
   * @param kind after which its main container may be called
   */
  public record Seat(String role, int index, String kind) {}

  /**
   * The member.
   *
   * @param isWhole whether only the pod as a whole counts: when its job has ended
   */
  public static Member of(Pod pod, Seat seat, boolean isWhole, boolean isPreemptible) {
    var end = isWhole ? Optional.<ContainerStateTerminated>empty() : mainEnd(pod, seat.kind());
    var exit = end.or(() -> PodEnds.end(pod));
    var phase = end.map(DIJobMembers::phase).orElseGet(() -> phase(pod));
    return PodMember.of(
        pod,
        seat.role(),
        seat.index(),
        phase,
        exit,
        phase == Member.Phase.FAILED && isBlameless(pod, exit, isPreemptible));
  }

  /** How far its work is, whether it is ready or not. */
  public static Member.Phase doing(Pod pod, String kind) {
    return mainEnd(pod, kind).map(DIJobMembers::phase).orElseGet(() -> PodEnds.phase(pod));
  }

  /** The number at the end of a pod's name; empty if it has none. */
  public static OptionalInt index(Pod pod) {
    var name = pod.getMetadata().getName();
    var end = name.substring(name.lastIndexOf('-') + 1);
    return end.matches("[0-9]{1,6}") ? OptionalInt.of(Integer.parseInt(end)) : OptionalInt.empty();
  }

  /** How the main container has ended, if it has and is not started again. */
  private static Optional<ContainerStateTerminated> mainEnd(Pod pod, String role) {
    if ("Always".equals(pod.getSpec().getRestartPolicy()) || pod.getStatus() == null) {
      return Optional.empty();
    }
    var main = MainContainer.of(pod.getSpec(), role).getName();
    return pod.getStatus().getContainerStatuses().stream()
        .filter(container -> container.getName().equals(main))
        .flatMap(container -> Optional.ofNullable(container.getState()).stream())
        .map(ContainerState::getTerminated)
        .flatMap(end -> Optional.ofNullable(end).stream())
        .filter(end -> end.getExitCode() == 0 || "Never".equals(pod.getSpec().getRestartPolicy()))
        .findFirst();
  }

  private static Member.Phase phase(ContainerStateTerminated end) {
    return end.getExitCode() == 0 ? Member.Phase.SUCCEEDED : Member.Phase.FAILED;
  }

  private static Member.Phase phase(Pod pod) {
    var phase = PodEnds.phase(pod);
    return phase == Member.Phase.RUNNING && !PodEnds.isReady(pod) ? Member.Phase.PENDING : phase;
  }

  private static boolean isBlameless(
      Pod pod, Optional<ContainerStateTerminated> end, boolean isPreemptible) {
    return PodEnds.isBlameless(pod)
        || (isPreemptible && end.filter(of -> of.getExitCode() == ASKED_TO_GO).isPresent());
  }
}
