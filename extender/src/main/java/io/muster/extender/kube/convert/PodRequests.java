package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.device.DeviceClass;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a pod asks of its node, by kube-scheduler's rule. Safe for concurrent use.
 *
 * <ol>
 *   <li>A container asks for its requests, and for its limits where it has no request.
 *   <li>Containers and restartable init containers (sidecars) run together: they add up.
 *   <li>A plain init container runs beside the sidecars started before it: the largest such moment
 *       counts where it exceeds the sum.
 *   <li>A container that is resized has what it holds, as its status says, or asks for now,
 *       whichever is more; where the node can never give what it asks for, what it holds.
 *   <li>Cpu and memory stated for the whole pod replace those of its containers, and are resized in
 *       the same way.
 *   <li>The overhead of the pod's runtime comes on top.
 *   <li>Ports of the node are taken by containers and sidecars.
 *   <li>Devices asked for by the name that every DeviceClass has count under that name, and under
 *       the class's extended resource name if it has one: both mean the same devices.
 * </ol>
 */
public final class PodRequests {

  private final Amounts amounts;

  /** By class the name under which its devices are counted. */
  private volatile Map<String, String> resources = Map.of();

  PodRequests(Amounts amounts) {
    this.amounts = amounts;
  }

  /** Devices of classes are counted under these names from now on. */
  void nameDevices(Map<String, String> byClass) {
    resources = Map.copyOf(byClass);
  }

  /** What a pod asks for that is on no node. */
  Resources of(PodSpec spec) {
    return of(spec, new PodStatus());
  }

  Resources of(PodSpec spec, PodStatus status) {
    var held = HeldResources.of(status);
    var together = Resources.NONE;
    for (var container : spec.getContainers()) {
      together = sum(together, of(container, held));
    }
    var sidecars = Resources.NONE;
    var starting = Resources.NONE;
    for (var container : spec.getInitContainers()) {
      if (isSidecar(container)) {
        sidecars = sum(sidecars, of(container, held));
        starting = starting.max(sidecars);
      } else {
        starting = starting.max(sum(sidecars, of(container, held)));
      }
    }
    var needed = ofWholePod(sum(together, sidecars).max(starting), spec, held);
    return withDevices(sum(needed, amounts.resources(present(spec.getOverhead()))))
        .withHostPorts(hostPorts(spec));
  }

  /** Devices asked for by their class are those that others ask for by the other name of it. */
  private Resources withDevices(Resources asked) {
    var known = resources;
    if (known.isEmpty()
        || asked.extended().keySet().stream()
            .noneMatch(name -> name.startsWith(DeviceClass.IMPLICIT))) {
      return asked;
    }
    var extended = new HashMap<>(asked.extended());
    asked
        .extended()
        .forEach((name, units) -> {
          var resource = resource(name, known);
          if (!resource.equals(name)) {
            extended.merge(resource, units, Long::sum);
          }
        });
    return Amounts.bounded(
        new Resources(asked.cpuMillis(), asked.memoryBytes(), extended, asked.hostPorts()));
  }

  private static String resource(String name, Map<String, String> known) {
    return name.startsWith(DeviceClass.IMPLICIT)
        ? known.getOrDefault(name.substring(DeviceClass.IMPLICIT.length()), name)
        : name;
  }

  /** Ports of containers that run side by side; a plain init container's is not kept free. */
  private static List<HostPort> hostPorts(PodSpec spec) {
    return Stream.concat(
            spec.getContainers().stream(),
            spec.getInitContainers().stream().filter(PodRequests::isSidecar))
        .flatMap(container -> container.getPorts().stream())
        .filter(port -> port.getHostPort() != null && port.getHostPort() > 0)
        .map(port ->
            new HostPort(text(port.getProtocol()), text(port.getHostIP()), port.getHostPort()))
        .toList();
  }

  private Resources of(Container container, HeldResources held) {
    return held.orAsked(
        held.ofContainer(text(container.getName())), asked(container.getResources()), amounts);
  }

  private Resources ofWholePod(Resources containers, PodSpec spec, HeldResources held) {
    if (spec.getResources() == null) {
      return containers;
    }
    var requests = present(spec.getResources().getRequests());
    var stated = held.orAsked(held.ofWholePod(), requests, amounts);
    return new Resources(
        requests.containsKey("cpu") ? stated.cpuMillis() : containers.cpuMillis(),
        requests.containsKey("memory") ? stated.memoryBytes() : containers.memoryBytes(),
        containers.extended());
  }

  private static Map<String, Quantity> asked(ResourceRequirements resources) {
    var asked = new HashMap<String, Quantity>();
    if (resources != null) {
      asked.putAll(present(resources.getLimits()));
      asked.putAll(present(resources.getRequests()));
    }
    return asked;
  }

  private static boolean isSidecar(Container container) {
    return "Always".equals(container.getRestartPolicy());
  }

  private static Resources sum(Resources a, Resources b) {
    return Amounts.bounded(a.plus(b));
  }
}
