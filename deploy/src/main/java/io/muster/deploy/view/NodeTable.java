package io.muster.deploy.view;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.protocol.query.NodeStanding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The devices of nodes, one by one or by a label, for people and for programs. Immutable. */
record NodeTable(String by, List<Row> rows) {

  private static final int OUTPUT_VERSION = 1;
  private static final int GANGS_SHOWN = 3;
  private static final String COLUMNS = "%-40s %6s %-12s %8s %6s %6s %6s %s";

  /** What nodes without the label are listed under. */
  private static final String WITHOUT = "(none)";

  /**
   * Nodes that are listed as one.
   *
   * @param state of a single node, else how many of them accept pods
   * @param free on nodes that accept pods
   */
  record Row(
      String name,
      int nodes,
      String state,
      long devices,
      long used,
      long kept,
      long free,
      List<String> gangs) {}

  NodeTable {
    rows = List.copyOf(rows);
  }

  /** One row for each node. */
  static NodeTable of(List<NodeStanding> nodes) {
    return new NodeTable(
        "",
        nodes.stream()
            .map(node -> row(node.node().name(), stateOf(node.node()), List.of(node)))
            .toList());
  }

  /** One row for each value of the label. */
  static NodeTable by(String label, List<NodeStanding> nodes) {
    var groups = new TreeMap<String, List<NodeStanding>>();
    nodes.forEach(node ->
        groups
            .computeIfAbsent(
                node.node().labels().getOrDefault(label, WITHOUT), _ -> new ArrayList<>())
            .add(node));
    var rows = new ArrayList<Row>();
    groups.forEach((value, members) -> {
      long ready = members.stream().filter(node -> node.node().isAvailable()).count();
      rows.add(row(value, ready + " ready", members));
    });
    return new NodeTable(label, rows);
  }

  private static Row row(String name, String state, List<NodeStanding> nodes) {
    var gangs = new TreeSet<String>();
    nodes.forEach(node -> gangs.addAll(node.gangs()));
    return new Row(
        name,
        nodes.size(),
        state,
        nodes.stream().mapToLong(NodeStanding::devices).sum(),
        nodes.stream().mapToLong(NodeStanding::used).sum(),
        nodes.stream().mapToLong(NodeStanding::kept).sum(),
        nodes.stream()
            .filter(node -> node.node().isAvailable())
            .mapToLong(NodeStanding::free)
            .sum(),
        List.copyOf(gangs));
  }

  private static String stateOf(Node node) {
    return node.availability().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** A table; of each row's gangs the first few by name. */
  List<String> lines() {
    var lines = new ArrayList<String>();
    lines.add(
        COLUMNS.formatted(
            by.isEmpty() ? "NODE" : by,
            "NODES",
            "STATE",
            "DEVICES",
            "USED",
            "KEPT",
            "FREE",
            "GANGS"));
    rows.forEach(row ->
        lines.add(
            COLUMNS
                .formatted(
                    row.name(),
                    row.nodes(),
                    row.state(),
                    row.devices(),
                    row.used(),
                    row.kept(),
                    row.free(),
                    gangs(row))
                .stripTrailing()));
    return lines;
  }

  private static String gangs(Row row) {
    var shown = String.join(" ", row.gangs().stream().limit(GANGS_SHOWN).toList());
    int more = row.gangs().size() - GANGS_SHOWN;
    return more > 0 ? "%s and %d more".formatted(shown, more) : shown;
  }

  /** The same as JSON, with all gangs. */
  Map<String, Object> document() {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", OUTPUT_VERSION);
    document.put("by", by.isEmpty() ? "node" : by);
    document.put("rows", rows);
    return document;
  }
}
