package io.muster.played;

import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Map;

/** A node whose pods run as processes. Immutable. */
record PlayedNode(String name, Map<String, String> labels, List<Taint> taints) {

  PlayedNode {
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
  }

  /** As kubeadm marks those of the control plane. */
  static PlayedNode ofControlPlane(String name) {
    var role = "node-role.kubernetes.io/control-plane";
    return new PlayedNode(
        name, Map.of(role, ""), List.of(new Taint("NoSchedule", role, null, null)));
  }
}
