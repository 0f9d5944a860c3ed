package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.device.NodeDevices;
import io.muster.extender.kube.device.CelSelectors;
import io.muster.extender.kube.device.DeviceReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What Dynamic Resource Allocation offers, as Muster counts it: the devices of each class, and
 * those that cannot be counted. Claims are left out, since a device that is in use is one of the
 * node's all the same. Pure.
 */
record DraDevices(List<DeviceClass> classes, List<ResourceSlice> slices) {

  private static final String CHECK = "devices.dra";
  private static final String UNCOUNTED = CHECK + ".uncounted";

  /** Reads them, where the API is served. */
  static List<Finding> findings(KubernetesClient client) {
    if (!client.supports(ResourceSlice.class)) {
      return List.of();
    }
    return new DraDevices(
            client.resources(DeviceClass.class).list().getItems(),
            client.resources(ResourceSlice.class).list().getItems())
        .findings();
  }

  private record Seen(long devices, int nodes) {

    Seen plus(Seen other) {
      return new Seen(devices + other.devices, nodes + other.nodes);
    }
  }

  List<Finding> findings() {
    var devices = new NodeDevices(new CelSelectors(), (_, _, _) -> 0);
    slices.forEach(slice -> devices.sliceSeen(DeviceReading.slice(slice)));
    classes.forEach(each -> devices.classSeen(DeviceReading.deviceClass(each)));
    var counted = new TreeMap<String, Seen>();
    var uncounted = new TreeMap<String, Integer>();
    for (var node : nodes()) {
      var offer = devices.offer(node);
      offer.counted().stream()
          .filter(it -> it.name().equals(it.resource()))
          .forEach(it -> counted.merge(it.resource(), new Seen(it.units(), 1), Seen::plus));
      // By two names, one reason.
      new TreeSet<>(offer.uncounted().values())
          .forEach(why -> uncounted.merge(why, 1, Integer::sum));
    }
    var elsewhere = offNodes();
    var findings = new ArrayList<Finding>();
    if (!counted.isEmpty()) {
      findings.add(Finding.ok(CHECK, "DRA offers " + words(counted)));
    }
    uncounted.forEach((why, nodes) ->
        findings.add(notCounted("devices of %d nodes are not counted: %s".formatted(nodes, why))));
    if (elsewhere > 0) {
      findings.add(
          notCounted(
              "devices of %d ResourceSlices are not counted: they name no node"
                  .formatted(elsewhere)));
    }
    return findings;
  }

  private static Finding notCounted(String evidence) {
    return Finding.cannotTell(
        UNCOUNTED,
        evidence,
        "gangs that ask for them wait, and say so; claims of them are left to kube-scheduler where"
            + " their class has no extended resource name; see accelerators.md");
  }

  private List<String> nodes() {
    return slices.stream()
        .map(slice -> slice.getSpec().getNodeName())
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  private long offNodes() {
    return classes.isEmpty()
        ? 0
        : slices.stream().filter(slice -> slice.getSpec().getNodeName() == null).count();
  }

  private static String words(Map<String, Seen> counted) {
    return counted.entrySet().stream()
        .map(entry ->
            "%s (%d on %d nodes)"
                .formatted(entry.getKey(), entry.getValue().devices(), entry.getValue().nodes()))
        .collect(Collectors.joining(", "));
  }
}
