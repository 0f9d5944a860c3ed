package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.filled;
import static io.muster.extender.kube.ApiFields.instant;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.kube.ApiFields;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** How far a pod has come, the one part of it that changes often. Stateless. */
final class ProgressReading {

  /** kube-scheduler's verdict where no extender had a say in it. */
  private static final Pattern BY_OWN_RULES =
      Pattern.compile("\\d+/\\d+ nodes are available: (?!.*muster: )", Pattern.DOTALL);

  /** The kubelet's reasons for not even starting a pod that was bound to its node. */
  private static final Pattern BY_THE_NODE =
      Pattern.compile(
          "OutOf.+|UnexpectedAdmissionError|TopologyAffinityError|NodeAffinity|NodePorts"
              + "|InvalidNodeInfo|NodeShutdown");

  private ProgressReading() {}

  static Pod.Progress of(ObjectMeta metadata, PodSpec spec, PodStatus status) {
    return new Pod.Progress(
        phase(text(status.getPhase())),
        filled(spec.getNodeName()),
        filled(status.getNominatedNodeName()),
        metadata.getDeletionTimestamp() != null,
        spec.getSchedulingGates().stream()
            .map(PodSchedulingGate::getName)
            .map(ApiFields::text)
            .collect(Collectors.toSet()),
        rejection(status),
        false,
        Optional.empty(),
        instant(text(status.getStartTime())),
        instant(text(metadata.getDeletionTimestamp())));
  }

  private static Optional<String> rejection(PodStatus status) {
    var reason = text(status.getReason());
    if (phase(text(status.getPhase())) == Pod.Phase.FAILED) {
      return Optional.of(reason).filter(why -> BY_THE_NODE.matcher(why).matches());
    }
    return status.getConditions().stream()
        .filter(ProgressReading::saysUnschedulable)
        .map(condition -> text(condition.getMessage()))
        .filter(message -> BY_OWN_RULES.matcher(message).lookingAt())
        .map(message -> message.replaceFirst("(not found)\\. not found$", "$1"))
        .findFirst();
  }

  private static boolean saysUnschedulable(PodCondition condition) {
    return "PodScheduled".equals(condition.getType())
        && "False".equals(condition.getStatus())
        && "Unschedulable".equals(condition.getReason());
  }

  private static Pod.Phase phase(String phase) {
    return switch (phase) {
      case "", "Pending" -> Pod.Phase.PENDING;
      case "Succeeded" -> Pod.Phase.SUCCEEDED;
      case "Failed" -> Pod.Phase.FAILED;
      default -> Pod.Phase.RUNNING;
    };
  }
}
