package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Taint;
import java.util.Objects;
import java.util.Optional;

/** Turns a node of the cluster into what the decisions see. Safe for concurrent use. */
public final class NodeReading {

  /** What cordoning puts on a node beside the field. */
  private static final String CORDON = "node.kubernetes.io/unschedulable";

  private final Amounts amounts;

  NodeReading(Amounts amounts) {
    this.amounts = amounts;
  }

  /**
   * The node; not ready where it does not say that it is, and with no room where it states none.
   */
  Node read(io.fabric8.kubernetes.api.model.Node node) {
    var metadata = Objects.requireNonNullElseGet(node.getMetadata(), ObjectMeta::new);
    var spec = Objects.requireNonNullElseGet(node.getSpec(), NodeSpec::new);
    var status = Objects.requireNonNullElseGet(node.getStatus(), NodeStatus::new);
    var allocatable = present(status.getAllocatable());
    return new Node(
        text(metadata.getName()),
        present(metadata.getLabels()),
        spec.getTaints().stream().flatMap(taint -> taint(taint).stream()).toList(),
        availability(metadata, spec, status),
        amounts.resources(allocatable),
        (int) Math.min(amounts.units("pods", allocatable), Integer.MAX_VALUE));
  }

  private static Node.Availability availability(
      ObjectMeta metadata, NodeSpec spec, NodeStatus status) {
    if (metadata.getDeletionTimestamp() != null
        || spec.getTaints().stream().anyMatch(taint -> Taint.isOfLeaving(text(taint.getKey())))) {
      return Node.Availability.LEAVING;
    }
    if (status.getConditions().stream().noneMatch(NodeReading::saysReady)) {
      return Node.Availability.NOT_READY;
    }
    boolean cordoned =
        Boolean.TRUE.equals(spec.getUnschedulable())
            || spec.getTaints().stream().anyMatch(taint -> CORDON.equals(taint.getKey()));
    return cordoned ? Node.Availability.CORDONED : Node.Availability.READY;
  }

  private static boolean saysReady(NodeCondition condition) {
    return "Ready".equals(condition.getType()) && "True".equals(condition.getStatus());
  }

  private static Optional<Taint> taint(io.fabric8.kubernetes.api.model.Taint taint) {
    return Constraints.effect(taint.getEffect())
        .map(effect -> new Taint(text(taint.getKey()), text(taint.getValue()), effect));
  }
}
