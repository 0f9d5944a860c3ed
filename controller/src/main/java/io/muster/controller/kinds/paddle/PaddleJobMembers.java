package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.controller.kube.pod.PodMember;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reads the pods of a TrainingJob as its members. */
final class PaddleJobMembers {

  /** With it a trainer ends well that saw others fail too often. */
  private static final String GAVE_UP = "beyond the threshold";

  private PaddleJobMembers() {}

  /** Empty for a pod that is none of the job's own. */
  static Optional<Member> of(Pod pod, String jobUid) {
    var role = role(pod);
    var name = pod.getMetadata().getName();
    var number = name.substring(name.lastIndexOf('-') + 1);
    if (role.isEmpty() || !number.matches("[0-9]{1,6}") || !Ownership.isOwned(pod, jobUid)) {
      return Optional.empty();
    }
    var phase = phase(pod, role.get());
    return Optional.of(
        PodMember.of(
            pod,
            role.get(),
            Integer.parseInt(number),
            phase,
            PodEnds.end(pod),
            phase == Member.Phase.FAILED && PodEnds.isBlameless(pod)));
  }

  private static Optional<String> role(Pod pod) {
    var labels = Marks.labels(pod);
    return PaddleNames.ROLE_LABELS.entrySet().stream()
        .filter(role -> labels.containsKey(role.getValue()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Servers run once they are ready; trainers as soon as they begin. */
  private static Member.Phase phase(Pod pod, String role) {
    var phase = PodEnds.phase(pod);
    if (phase == Member.Phase.RUNNING
        && !role.equals(PaddleNames.TRAINER)
        && !PodEnds.isReady(pod)) {
      return pod.isMarkedForDeletion() ? phase : Member.Phase.PENDING;
    }
    return phase == Member.Phase.SUCCEEDED && hasGivenUp(pod) ? Member.Phase.FAILED : phase;
  }

  private static boolean hasGivenUp(Pod pod) {
    return PodEnds.end(pod)
        .map(ContainerStateTerminated::getMessage)
        .filter(message -> Objects.requireNonNullElse(message, "").contains(GAVE_UP))
        .isPresent();
  }

  /** How a trainer has ended, for its users. */
  static String end(Pod pod) {
    var said = new StringBuilder(pod.getMetadata().getName());
    Optional.ofNullable(pod.getStatus().getHostIP())
        .filter(address -> !address.isEmpty())
        .ifPresent(address -> said.append(" on ").append(address));
    PodEnds.end(pod)
        .ifPresent(end -> {
          said.append(": exit code ").append(end.getExitCode());
          Optional.ofNullable(end.getMessage())
              .or(() -> Optional.ofNullable(end.getReason()))
              .map(String::strip)
              .filter(message -> !message.isEmpty())
              .ifPresent(message -> said.append(", ").append(message));
        });
    return said.toString();
  }
}
