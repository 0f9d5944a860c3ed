package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.muster.extender.core.cluster.Resources;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the containers of a pod hold on its node, as the node says, while they are resized: as
 * kube-scheduler counts it. Immutable.
 *
 * @param byContainer what each holds: as allocated, and as in force
 * @param ofWholePod the same of what is stated for the whole pod
 * @param isInfeasible whether the node can never give what the pod asks for now
 */
record HeldResources(
    Map<String, List<Map<String, Quantity>>> byContainer,
    List<Map<String, Quantity>> ofWholePod,
    boolean isInfeasible) {

  private static final HeldResources NONE = new HeldResources(Map.of(), List.of(), false);

  static HeldResources of(PodStatus status) {
    var byContainer = new HashMap<String, List<Map<String, Quantity>>>();
    Stream.concat(
            status.getContainerStatuses().stream(), status.getInitContainerStatuses().stream())
        .filter(container -> container.getResources() != null)
        .forEach(container -> byContainer.put(text(container.getName()), held(container)));
    var ofWholePod = held(status.getAllocatedResources(), status.getResources());
    return byContainer.isEmpty() && ofWholePod.isEmpty()
        ? NONE
        : new HeldResources(byContainer, ofWholePod, isInfeasible(status));
  }

  private static List<Map<String, Quantity>> held(ContainerStatus container) {
    return held(container.getAllocatedResources(), container.getResources());
  }

  private static List<Map<String, Quantity>> held(
      Map<String, Quantity> allocated, ResourceRequirements inForce) {
    return inForce == null
        ? List.of()
        : List.of(present(allocated), present(inForce.getRequests()));
  }

  private static boolean isInfeasible(PodStatus status) {
    return status.getConditions().stream()
        .anyMatch(condition ->
            "PodResizePending".equals(condition.getType())
                && "Infeasible".equals(condition.getReason()));
  }

  List<Map<String, Quantity>> ofContainer(String name) {
    return byContainer.getOrDefault(name, List.of());
  }

  /** The most of what is held and what is asked for; what is asked for where nothing is held. */
  Resources orAsked(
      List<Map<String, Quantity>> held, Map<String, Quantity> asked, Amounts amounts) {
    var stated = amounts.resources(asked);
    return held.stream()
        .map(amounts::resources)
        .reduce(Resources::max)
        .map(most -> {
          var counted = isInfeasible ? most : most.max(stated);
          return new Resources(counted.cpuMillis(), counted.memoryBytes(), stated.extended());
        })
        .orElse(stated);
  }
}
