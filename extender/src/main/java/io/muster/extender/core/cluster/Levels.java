package io.muster.extender.core.cluster;

import io.muster.extender.core.gang.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The levels of the cluster's network, outermost first. A domain of a level is the nodes that have
 * the same values of its label and of the labels of all levels outside it. Immutable.
 *
 * @param areFound whether they are the families of labels that nodes bear, see {@link #among}
 */
public record Levels(List<Level> all, boolean areFound) {

  /** Those that the labels of the nodes show. */
  public static final Levels FOUND = new Levels(List.of(), true);

  private static final String LAYER = "Layer";

  /** The families of labels in which networks are described; the first that nodes bear counts. */
  private static final List<List<Level>> NETWORKS =
      List.of(
          family("fabric.topograph.run/", "tier-3", "tier-2", "tier-1"),
          family("network.topology.nvidia.com/", "core", "spine", "leaf"),
          family("cloud.google.com/gce-topology-", "block", "subblock", "host"),
          family(
              "topology.k8s.aws/",
              "network-node-layer-1",
              "network-node-layer-2",
              "network-node-layer-3"),
          List.of(
              new Level("island", "oci.oraclecloud.com/rdma.hpc_island_id", 0),
              new Level("network-block", "oci.oraclecloud.com/rdma.network_block_id", 0),
              new Level("local-block", "oci.oraclecloud.com/rdma.local_block_id", 0)),
          List.of(
              new Level("pod", "alibabacloud.com/point-of-delivery", 0),
              new Level("asw", "alibabacloud.com/asw-id", 0)));

  /** What joins nodes inside the network; the first that nodes bear is the innermost level. */
  private static final List<Level> ACCELERATORS =
      List.of(
          new Level("nvlink", "accelerator.topograph.run/domain", 0),
          new Level("nvlink", "network.topology.nvidia.com/accelerator", 0),
          new Level("nvlink", "ds.coreweave.com/nvlink.domain", 0),
          new Level("nvlink", "topology.k8s.aws/ultraserver-id", 0),
          new Level("nvlink", "nvidia.com/gpu.clique", 0));

  /**
   * One level.
   *
   * @param name by which gangs may ask for it
   * @param label key of the node label
   * @param keep nodes of each domain that no gang gets at its start
   */
  public record Level(String name, String label, int keep) {}

  public Levels {
    all = List.copyOf(all);
  }

  private static List<Level> family(String prefix, String... names) {
    return List.of(names).stream().map(name -> new Level(name, prefix + name, 0)).toList();
  }

  /** These; where they are to be found, those of which some of the nodes have the label. */
  public Levels among(Collection<Node> nodes) {
    return areFound ? amongLabels(nodes.stream().map(Node::labels).toList()) : this;
  }

  /** The same by the labels of each node. */
  public Levels amongLabels(Collection<Map<String, String>> nodes) {
    if (!areFound) {
      return this;
    }
    var found = new ArrayList<Level>();
    NETWORKS.stream()
        .map(family -> family.stream().filter(level -> isBorne(level, nodes)).toList())
        .filter(borne -> !borne.isEmpty())
        .findFirst()
        .ifPresent(found::addAll);
    ACCELERATORS.stream().filter(level -> isBorne(level, nodes)).findFirst().ifPresent(found::add);
    return new Levels(found, false);
  }

  private static boolean isBorne(Level level, Collection<Map<String, String>> nodes) {
    return nodes.stream().anyMatch(labels -> labels.containsKey(level.label()));
  }

  /**
   * The key of the label of a level, which goes by its name, by that key, by its number ({@link
   * Topology#tier}), or by the name of a layer: {@code BlockLayer} for {@code block}. What is asked
   * for itself, where there is no such level.
   */
  public String labelOf(String asked) {
    return find(asked).map(Level::label).orElse(asked);
  }

  /** What the level is called; what is asked for itself, where that is no number. */
  public String nameOf(String asked) {
    return Topology.tierOf(asked) == 0 ? asked : find(asked).map(Level::name).orElse(asked);
  }

  /** What of it there is: by numbers all levels may be preferred, however many there are. */
  public Topology known(Topology asked) {
    return asked.preferred().stream().allMatch(level -> Topology.tierOf(labelOf(level)) == 0)
        ? asked
        : new Topology(
            asked.preferred().stream()
                .filter(level -> Topology.tierOf(labelOf(level)) == 0)
                .toList(),
            asked.required(),
            asked.segments(),
            asked.joins());
  }

  private Optional<Level> find(String asked) {
    int tier = Topology.tierOf(asked);
    if (tier > 0) {
      return tier <= all.size() ? Optional.of(all.get(all.size() - tier)) : Optional.empty();
    }
    return named(asked)
        .or(() ->
            Optional.of(asked)
                .filter(layer -> layer.endsWith(LAYER))
                .map(layer -> layer.substring(0, layer.length() - LAYER.length()))
                .flatMap(stem -> named(stem.toLowerCase(Locale.ROOT))));
  }

  private Optional<Level> named(String name) {
    return all.stream().filter(level -> level.name().equals(name)).findFirst();
  }

  /** How far in the level with that label is; -1 if there is none. */
  public int depthOf(String label) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).label().equals(label)) {
        return i;
      }
    }
    return -1;
  }

  /** Keys of their labels, outermost first. */
  public List<String> labels() {
    return all.stream().map(Level::label).toList();
  }
}
