package io.muster.extender.core.cluster;

import io.muster.extender.core.device.Offer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A node as the planner sees it. {@code allocatable} is what pods may use in all, {@code podLimit}
 * how many pods may run there. Immutable.
 *
 * @param byClaim resources that pods get there by a claim that kube-scheduler makes
 * @param uncounted why devices that the node may offer are not in {@code allocatable}, by resource
 */
public record Node(
    String name,
    Map<String, String> labels,
    List<Taint> taints,
    Availability availability,
    Resources allocatable,
    int podLimit,
    Map<String, String> uncounted,
    Set<String> byClaim) {

  public Node {
    byClaim = Set.copyOf(byClaim);
    labels = Map.copyOf(labels);
    podLimit = Math.max(0, podLimit);
    taints = List.copyOf(taints);
    uncounted = Map.copyOf(uncounted);
  }

  /** A node whose devices are all counted. */
  public Node(
      String name,
      Map<String, String> labels,
      List<Taint> taints,
      Availability availability,
      Resources allocatable,
      int podLimit) {
    this(name, labels, taints, availability, allocatable, podLimit, Map.of(), Set.of());
  }

  /** Whether pods may be sent to the node now. */
  public enum Availability {
    READY,
    NOT_READY,
    CORDONED,
    /** It is being deleted, or somebody has announced that it goes. */
    LEAVING
  }

  /** Whether the kubelet is up, nobody has cordoned the node and it stays. */
  public boolean isAvailable() {
    return availability == Availability.READY;
  }

  /** The node with these devices, but for those that it lists itself: no resource counts twice. */
  public Node offering(Offer offer) {
    if (offer.equals(Offer.NONE)) {
      return this;
    }
    var extended = new HashMap<>(allocatable.extended());
    var claimed = new HashSet<String>();
    var unknown = new HashMap<>(offer.uncounted());
    for (var devices : offer.counted()) {
      if (allocatable.of(devices.resource()) == 0) {
        claimed.add(devices.name());
        extended.put(devices.name(), devices.units());
      } else {
        unknown.put(devices.name(), "the node lists " + devices.resource() + " itself");
      }
    }
    unknown.keySet().removeIf(name -> allocatable.of(name) > 0);
    return new Node(
        name,
        labels,
        taints,
        availability,
        new Resources(
            allocatable.cpuMillis(), allocatable.memoryBytes(), extended, allocatable.hostPorts()),
        podLimit,
        unknown,
        claimed);
  }

  /** Whether kube-scheduler has to make a claim for what a pod asks for there. */
  public boolean takesClaims(Resources requests) {
    return !byClaim.isEmpty()
        && requests.extended().keySet().stream()
            .anyMatch(name -> requests.of(name) > 0 && byClaim.contains(name));
  }
}
