package io.muster.deploy.board.feed;

import io.muster.deploy.board.feed.BoardView.Devices;
import io.muster.deploy.board.feed.BoardView.Expected;
import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import io.muster.deploy.board.feed.BoardView.QueueBar;
import io.muster.deploy.board.feed.BoardView.Totals;
import io.muster.deploy.view.Explaining;
import io.muster.deploy.view.ShownQueues;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.query.GangStanding;
import io.muster.extender.core.protocol.query.NodeStanding;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Makes views of what has been seen. Cells of nodes come from the pods as they stand, words about
 * gangs from their objects where a Muster is running, and the rest from a replay. Confined to one
 * thread.
 */
public final class BoardReading {

  /** By a running Muster, of a new gang. */
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(30);

  private final NodeLabels labels;
  private final Numbers<String> nodes = new Numbers<>();
  private final Numbers<GangId> gangs = new Numbers<>();

  public BoardReading(NodeLabels labels) {
    this.labels = labels;
  }

  /** The view, which has neither run nor number yet. */
  BoardView view(Seen seen) {
    synchronized (seen) {
      // What is asked of a replay last makes it go on: it is told that time has passed.
      var standing = seen.replay().map(Replay::nodes).orElse(List.of());
      var totals = seen.replay().map(replay -> totals(replay, standing));
      var queues = seen.replay().map(BoardReading::queues).orElse(List.of());
      var rows = rows(seen);
      gangs.keepOnly(rows.keySet());
      nodes.keepOnly(standing.stream().map(node -> node.node().name()).collect(Collectors.toSet()));
      return new BoardView(
          BoardView.VERSION,
          "",
          0,
          seen.at().toString(),
          seen.source(),
          totals.orElse(null),
          devices(standing),
          cells(seen, standing, rows.keySet()),
          List.copyOf(rows.values()),
          queues);
    }
  }

  private static Totals totals(Replay replay, List<NodeStanding> nodes) {
    return new Totals(
        nodes.stream().mapToLong(NodeStanding::devices).sum(),
        nodes.stream().mapToLong(NodeStanding::used).sum(),
        nodes.stream().mapToLong(NodeStanding::kept).sum(),
        nodes.stream()
            .filter(node -> node.node().isAvailable())
            .mapToLong(NodeStanding::free)
            .sum(),
        replay.usage().strandedDevices());
  }

  /** Where a node has devices of several names, its free ones count under the first. */
  private static List<Devices> devices(List<NodeStanding> nodes) {
    var all = new TreeMap<String, Long>();
    var free = new HashMap<String, Long>();
    for (var node : nodes) {
      node.node().allocatable().eachAccelerator((name, units) -> all.merge(name, units, Long::sum));
      if (node.node().isAvailable()) {
        deviceOf(node.node()).ifPresent(name -> free.merge(name, node.free(), Long::sum));
      }
    }
    var devices = new ArrayList<Devices>();
    all.forEach(
        (name, units) -> devices.add(new Devices(name, units, free.getOrDefault(name, 0L))));
    return devices;
  }

  private static Optional<String> deviceOf(Node node) {
    var names = new ArrayList<String>();
    node.allocatable().eachAccelerator((name, _) -> names.add(name));
    return names.stream().sorted().findFirst();
  }

  private static List<QueueBar> queues(Replay replay) {
    return ShownQueues.of(replay).stream().map(BoardReading::bar).toList();
  }

  private static QueueBar bar(QueueStanding queue) {
    return new QueueBar(
        queue.name(),
        queue.quota().orElse(null),
        queue.limit().orElse(null),
        queue.used(),
        queue.borrowed(),
        queue.lent(),
        queue.asked(),
        queue.waiting());
  }

  private List<NodeCell> cells(Seen seen, List<NodeStanding> standing, Set<GangId> shown) {
    var held = new HashMap<String, Map<Integer, Long>>();
    for (var pods : seen.pods().values()) {
      for (var pod : pods) {
        long devices = pod.demand().requests().devices();
        if (pod.isBound() && !pod.isTerminal() && devices > 0) {
          held.computeIfAbsent(pod.progress().nodeName().orElseThrow(), _ -> new TreeMap<>())
              .merge(numberOf(pod, shown), devices, Long::sum);
        }
      }
    }
    var kept = keptByGang(seen, shown);
    return standing.stream()
        .map(node -> {
          var name = node.node().name();
          return new NodeCell(
              nodes.of(name),
              name,
              labels.blockOf(node.node()).orElse(null),
              labels.rackOf(node.node()).orElse(null),
              stateOf(node.node()),
              node.node().taints().isEmpty() ? null : true,
              deviceOf(node.node()).orElse(null),
              node.devices(),
              pairs(held.getOrDefault(name, Map.of())),
              pairs(kept(node, kept.getOrDefault(name, Map.of()))));
        })
        .toList();
  }

  private int numberOf(Pod pod, Set<GangId> shown) {
    return Explaining.gangOf(pod).filter(shown::contains).map(gangs::of).orElse(BoardView.NO_GANG);
  }

  /** Devices on each node for recorded members that are not on it yet. */
  private Map<String, Map<Integer, Long>> keptByGang(Seen seen, Set<GangId> shown) {
    var kept = new HashMap<String, Map<Integer, Long>>();
    var waiting = new HashMap<String, Pod>();
    seen.pods().values().stream()
        .flatMap(List::stream)
        .filter(pod -> !pod.isBound() && !pod.isTerminal())
        .forEach(pod -> waiting.put(pod.key().uid(), pod));
    var records = seen.replay().map(replay -> replay.view().gangs()).orElse(List.of());
    for (var record : records.stream().filter(one -> shown.contains(one.gang())).toList()) {
      record
          .placement()
          .forEach((uid, place) -> {
            var pod = Optional.ofNullable(waiting.get(uid));
            pod.ifPresent(member ->
                kept.computeIfAbsent(place.node(), _ -> new TreeMap<>())
                    .merge(
                        gangs.of(record.gang()), member.demand().requests().devices(), Long::sum));
          });
    }
    return kept;
  }

  /** No more than is kept in all; what no record names is kept for one that is not known. */
  private static Map<Integer, Long> kept(NodeStanding node, Map<Integer, Long> recorded) {
    var kept = new TreeMap<Integer, Long>();
    long left = node.kept();
    for (var each : recorded.entrySet()) {
      long part = Math.min(left, each.getValue());
      if (part > 0) {
        kept.put(each.getKey(), part);
      }
      left -= part;
    }
    if (left > 0) {
      kept.put(BoardView.NO_GANG, left);
    }
    return kept;
  }

  private static List<List<Long>> pairs(Map<Integer, Long> byGang) {
    return byGang.isEmpty()
        ? null
        : byGang.entrySet().stream()
            .map(each -> List.of((long) each.getKey(), each.getValue()))
            .toList();
  }

  private static String stateOf(Node node) {
    return switch (node.availability()) {
      case READY -> "Ready";
      case NOT_READY -> "NotReady";
      case CORDONED -> "Cordoned";
      case LEAVING -> "Leaving";
    };
  }

  /** Gangs that have pods, and those of which only the object is left, by namespace and name. */
  private Map<GangId, GangRow> rows(Seen seen) {
    var rows = new TreeMap<GangId, GangRow>();
    var reported = new HashSet<GangId>();
    for (var gang : seen.replay().map(Replay::gangs).orElse(List.of())) {
      reported.add(gang.gang());
      rows.put(gang.gang(), row(seen, gang));
    }
    seen.objects()
        .forEach((gang, object) -> {
          if (!reported.contains(gang)) {
            seen.told(gang).ifPresent(told -> rows.put(gang, row(gang, object, told)));
          }
        });
    return rows;
  }

  private GangRow row(Seen seen, GangStanding gang) {
    var report =
        seen.told(gang.gang())
            .orElseGet(() ->
                workedOut(seen, gang)
                    .orElse(gang.report())
                    .inQueue(gang.position(), seen.expectedStart(gang.gang())));
    return row(
        gang.gang(),
        report,
        Optional.of(gang),
        gang.priority(),
        gang.minAvailable(),
        Optional.of(gang.since().toString()));
  }

  /** That takes as long as all the rest, and a running Muster says so itself within seconds. */
  private static Optional<GangReport> workedOut(Seen seen, GangStanding gang) {
    boolean isToldSoon = seen.source().led() && gang.since().plus(TOLD_WITHIN).isAfter(seen.at());
    return isToldSoon
        ? Optional.empty()
        : seen.replay().flatMap(replay -> replay.report(gang.gang()));
  }

  private GangRow row(GangId gang, Gang object, GangReport told) {
    return row(
        gang,
        told,
        Optional.empty(),
        0,
        GangObjects.recordOf(object).map(GangRecord::minAvailable).orElse(0),
        Optional.ofNullable(object.getMetadata().getCreationTimestamp()));
  }

  private GangRow row(
      GangId gang,
      GangReport report,
      Optional<GangStanding> standing,
      int priority,
      int minAvailable,
      Optional<String> since) {
    boolean waits = report.phase() == Phase.WAITING;
    return new GangRow(
        gangs.of(gang),
        gang.namespace(),
        gang.name(),
        standing.map(GangStanding::queue).orElse(null),
        priority,
        GangObjects.wordOf(report.phase()),
        waits ? report.position().orElse(null) : null,
        report.members(),
        minAvailable,
        report.bound(),
        standing.map(GangStanding::devices).orElse(null),
        since.orElse(null),
        report.reason().code(),
        report.message(),
        report.remedy().isEmpty() ? null : report.remedy(),
        waits ? report.expectedStart().map(BoardReading::expected).orElse(null) : null);
  }

  private static Expected expected(ExpectedStart start) {
    return new Expected(
        start.p50().toString(),
        start.p90().map(Object::toString).orElse(null),
        start.after().isEmpty() ? null : start.after());
  }
}
