package io.muster.deploy.board.feed;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.muster.deploy.board.history.Look;
import io.muster.extender.kube.gang.GangObjects;
import java.util.List;
import java.util.Optional;

/**
 * What the page shows, as it is sent. Nodes and gangs refer to each other by number; a number is
 * never used for another one within a run. Times are RFC 3339. A wire type: what is absent is null.
 * Immutable.
 *
 * @param run names this run of the server
 * @param number grows by one with each change; 0 before it is shown
 * @param totals absent where nodes cannot be seen
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BoardView(
    int version,
    String run,
    long number,
    String asOf,
    Source source,
    Totals totals,
    List<Devices> devices,
    List<NodeCell> nodes,
    List<GangRow> gangs,
    List<QueueBar> queues) {

  static final int VERSION = 1;

  /** Kinds of sources. */
  static final String CLUSTER = "cluster";

  static final String SNAPSHOT = "snapshot";

  /** In place of a gang's number: of no gang, or it is not known for whom. */
  static final int NO_GANG = -1;

  /**
   * Where it comes from.
   *
   * @param kind {@code cluster} or {@code snapshot}
   * @param name the kubeconfig's context, or the file
   * @param led whether a Muster is running, whose own words are shown
   * @param namespace if no more than that one can be seen
   * @param left sentences: what is left out, and why
   * @param stale why it may be behind; absent while it is not
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Source(
      String kind,
      String name,
      boolean led,
      boolean released,
      String namespace,
      List<String> left,
      String stale) {}

  /** Devices of every name. */
  public record Totals(long devices, long used, long kept, long free, long stranded) {}

  /** Devices of one name; free on nodes that accept pods. */
  public record Devices(String name, long devices, long free) {}

  /**
   * A node.
   *
   * @param held pairs of a gang's number and how many devices its pods have
   * @param kept pairs of a gang's number and how many devices are reserved without a pod on them
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record NodeCell(
      int id,
      String name,
      String block,
      String rack,
      String state,
      Boolean tainted,
      String device,
      long devices,
      List<List<Long>> held,
      List<List<Long>> kept) {}

  /** A gang, in the words of its Gang object where Muster is running. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record GangRow(
      int id,
      String namespace,
      String name,
      String queue,
      int priority,
      String phase,
      Integer position,
      int members,
      int minAvailable,
      int bound,
      Long devices,
      String since,
      String reason,
      String message,
      String remedy,
      Expected expected) {

    private Look.GangState state() {
      return new Look.GangState(
          id, GangObjects.phaseOf(phase).orElseThrow(), reason, Optional.ofNullable(since));
    }
  }

  /** When a gang will probably start. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Expected(String p50, String p90, String after) {}

  /** A queue, in devices of every name. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record QueueBar(
      String name,
      Long quota,
      Long limit,
      long used,
      long borrowed,
      long lent,
      long asked,
      int waiting) {}

  public BoardView {
    devices = List.copyOf(devices);
    nodes = List.copyOf(nodes);
    gangs = List.copyOf(gangs);
    queues = List.copyOf(queues);
  }

  /** What is kept of it for later; empty if it may be behind, or nothing happens in it. */
  Optional<Look> look() {
    return source.kind.equals(CLUSTER) && source.stale == null
        ? Optional.of(
            new Look(
                source.led,
                Optional.ofNullable(totals)
                    .map(all ->
                        new Look.Devices(all.devices, all.used, all.kept, all.free, all.stranded)),
                gangs.stream().map(GangRow::state).toList()))
        : Optional.empty();
  }

  /** The same as it is at another time. */
  BoardView at(String time) {
    return new BoardView(version, run, number, time, source, totals, devices, nodes, gangs, queues);
  }

  /** The same under that number of a run. */
  BoardView as(String ofRun, long under) {
    return new BoardView(
        version, ofRun, under, asOf, source, totals, devices, nodes, gangs, queues);
  }

  /** The same with why it may be behind; empty: it is not. */
  BoardView marked(Optional<String> why) {
    var other =
        new Source(
            source.kind,
            source.name,
            source.led,
            source.released,
            source.namespace,
            source.left,
            why.orElse(null));
    return new BoardView(version, run, number, asOf, other, totals, devices, nodes, gangs, queues);
  }
}
