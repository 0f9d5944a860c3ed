package io.muster.extender.core;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Builds nodes in the words of the field: 32 cores, 128 GiB, 110 pods unless said otherwise. */
public final class NodeBuilder {

  private final String name;
  private long gpus;
  private long cpuMillis = 32_000;
  private int pods = 110;
  private Node.Availability availability = Node.Availability.READY;
  private final Map<String, String> labels = new HashMap<>();
  private final List<Taint> taints = new ArrayList<>();

  private NodeBuilder(String name) {
    this.name = name;
  }

  public static NodeBuilder aNode(String name) {
    return new NodeBuilder(name);
  }

  public NodeBuilder gpus(long value) {
    gpus = value;
    return this;
  }

  public NodeBuilder cpuMillis(long value) {
    cpuMillis = value;
    return this;
  }

  public NodeBuilder pods(int value) {
    pods = value;
    return this;
  }

  public NodeBuilder label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  public NodeBuilder taint(String key, String value, Taint.Effect effect) {
    taints.add(new Taint(key, value, effect));
    return this;
  }

  public NodeBuilder availability(Node.Availability value) {
    availability = value;
    return this;
  }

  public Node build() {
    return new Node(
        name,
        labels,
        taints,
        availability,
        new Resources(cpuMillis, 128L << 30, gpus == 0 ? Map.of() : Map.of("nvidia.com/gpu", gpus)),
        pods);
  }
}
