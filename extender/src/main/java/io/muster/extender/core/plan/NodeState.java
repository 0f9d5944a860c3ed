package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import java.util.HashMap;
import java.util.Optional;

/**
 * A node together with what is taken of it, by bound pods and by reservations alike. Used may
 * exceed what the node offers (it can shrink under its pods); nothing fits then. Immutable.
 */
public record NodeState(Node node, Resources used, int pods) {

  static final String UNSUITABLE = "node(s) didn't match Pod's node affinity/selector";
  static final String NO_VOLUME = "node(s) didn't match PersistentVolume's node affinity";
  static final String NO_POD = "Too many pods";
  static final String NO_PORT = "node(s) didn't have free ports for the requested pod ports";
  static final String NOT_ALONE = "node(s) didn't match pod anti-affinity rules";

  /** Whether the node takes the demand now. */
  public boolean fits(Demand demand) {
    return isOpenTo(demand) && hasRoomFor(demand.requests());
  }

  /** Whether the node could take the demand as it is now, were it empty. */
  public boolean isOpenTo(Demand demand) {
    return obstacle(demand).isEmpty();
  }

  /** Whether it has room for it too, were it empty. */
  public boolean couldHold(Demand demand) {
    return emptied().fits(demand);
  }

  /** This node if nothing ran on it. */
  public NodeState emptied() {
    return new NodeState(node, Resources.NONE, 0);
  }

  /** Whether the free room alone would do, whatever taints and selectors say. */
  public boolean hasRoomFor(Resources requests) {
    if (pods + 1 > node.podLimit()
        || (requests.cpuMillis() > 0 && requests.cpuMillis() > freeCpu())
        || (requests.memoryBytes() > 0 && requests.memoryBytes() > freeMemory())) {
      return false;
    }
    for (var asked : requests.extended().entrySet()) {
      if (asked.getValue() > 0 && asked.getValue() > free(asked.getKey())) {
        return false;
      }
    }
    return requests.collision(used).isEmpty();
  }

  /**
   * Whether the free room would do for what the node lists of the request. A resource that it does
   * not list may be offered there in a way that is kube-scheduler's matter; nothing of it can be
   * reserved.
   */
  public boolean hasListedRoomFor(Resources requests) {
    return hasRoomFor(listed(requests));
  }

  private Resources listed(Resources requests) {
    var offered = node.allocatable();
    if (requests.extended().keySet().stream().allMatch(name -> offered.of(name) > 0)) {
      return requests;
    }
    var listed = new HashMap<>(requests.extended());
    listed.keySet().removeIf(name -> offered.of(name) == 0);
    return new Resources(
        requests.cpuMillis(), requests.memoryBytes(), listed, requests.hostPorts());
  }

  /** Why the node can never take the demand as it is now, however empty it were. */
  public Optional<String> obstacle(Demand demand) {
    return closed(node, demand)
        .or(() -> suits(demand) ? Optional.empty() : Optional.of(UNSUITABLE))
        .or(() -> hasVolumes(demand) ? Optional.empty() : Optional.of(NO_VOLUME));
  }

  /** Why the node takes no pod with these tolerations, whatever its labels. */
  static Optional<String> closed(Node node, Demand demand) {
    if (node.availability() == Node.Availability.CORDONED) {
      return Optional.of("node(s) were unschedulable");
    }
    if (node.availability() == Node.Availability.LEAVING) {
      return Optional.of("node(s) were about to leave the cluster");
    }
    for (var taint : node.taints()) {
      if (taint.effect().forbidsPlacement()
          && demand.tolerations().stream().noneMatch(t -> t.covers(taint))) {
        return Optional.of(untolerated(taint));
      }
    }
    return node.isAvailable() ? Optional.empty() : Optional.of("node(s) were not ready");
  }

  /**
   * Whether the node has a taint because of which pods with these tolerations go elsewhere if they
   * can: one that says no more than that, or one for which the pod would soon be evicted.
   */
  static boolean repels(Node node, Demand demand) {
    return node.taints().stream()
        .anyMatch(taint ->
            demand.tolerations().stream()
                .noneMatch(t ->
                    t.covers(taint) && !(t.ends() && taint.effect() == Taint.Effect.NO_EXECUTE)));
  }

  /** Whether the node is one of those that the pod selects. */
  boolean suits(Demand demand) {
    return demand.selects(node)
        && (demand.anyOfTerms().isEmpty()
            || demand.anyOfTerms().stream().anyMatch(term -> term.matches(node)));
  }

  /** Whether the node is one of those that the pod would rather have. */
  boolean pleases(Demand demand) {
    return demand.preferred().stream().allMatch(term -> term.matches(node));
  }

  /** Whether the volumes that the pod mounts can be used there. */
  boolean hasVolumes(Demand demand) {
    return demand.volumes().stream()
        .allMatch(terms -> terms.stream().anyMatch(term -> term.matches(node)));
  }

  /** Free units of an extended resource; negative where more is used than offered. */
  public long free(String resourceName) {
    return node.allocatable().of(resourceName) - used.of(resourceName);
  }

  /** The same of {@code cpu} in thousandths, of {@code memory} in bytes, or of such a resource. */
  public long freeOf(String name) {
    return switch (name) {
      case "cpu" -> freeCpu();
      case "memory" -> freeMemory();
      default -> free(name);
    };
  }

  /** Free accelerators of every name. */
  public long freeDevices() {
    long sum = 0;
    for (var name : node.allocatable().extended().keySet()) {
      if (Accelerators.isManaged(name)) {
        sum += Math.max(0, free(name));
      }
    }
    return sum;
  }

  /**
   * How many such pods the free room would do for, in thousandths of one, whatever else is said.
   */
  public long space(Demand demand) {
    var requests = demand.requests();
    long space = Long.MAX_VALUE;
    if (requests.cpuMillis() > 0) {
      space = Math.min(space, 1000 * freeCpu() / requests.cpuMillis());
    }
    if (requests.memoryBytes() > 0) {
      space = Math.min(space, freeMemory() / Math.max(1, requests.memoryBytes() / 1000));
    }
    for (var name : requests.extended().keySet()) {
      if (requests.of(name) > 0) {
        space = Math.min(space, 1000 * free(name) / requests.of(name));
      }
    }
    return Math.max(0, space);
  }

  /** As much of these amounts as is free. */
  public Resources freeOf(Resources requests) {
    var units = new HashMap<String, Long>();
    requests.extended().forEach((name, asked) -> units.put(name, bounded(asked, free(name))));
    return new Resources(
        bounded(requests.cpuMillis(), freeCpu()),
        bounded(requests.memoryBytes(), freeMemory()),
        units);
  }

  private static long bounded(long asked, long free) {
    return Math.max(0, Math.min(asked, free));
  }

  /** This room with one more pod in it. */
  public NodeState with(Resources requests) {
    return new NodeState(node, used.plus(requests), pods + 1);
  }

  /** This room with one pod less in it. */
  public NodeState without(Resources requests) {
    return new NodeState(node, used.minus(requests), pods - 1);
  }

  long freeCpu() {
    return node.allocatable().cpuMillis() - used.cpuMillis();
  }

  long freeMemory() {
    return node.allocatable().memoryBytes() - used.memoryBytes();
  }

  static String shortOf(String resource) {
    return "Insufficient " + resource;
  }

  private static String untolerated(Taint taint) {
    return "node(s) had untolerated taint {%s: %s}".formatted(taint.key(), taint.value());
  }
}
