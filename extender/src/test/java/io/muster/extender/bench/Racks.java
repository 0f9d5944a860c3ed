package io.muster.extender.bench;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;

import io.muster.extender.bench.PlayedCluster.Work;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.gang.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Clusters of racks for what members cost that must be in one. Stateless. */
final class Racks {

  private static final int DEVICES = 8;
  private static final int NODES_A_RACK = 20;
  static final int SEGMENT = 16;
  private static final int LONGEST_TICKS = 600;

  private Racks() {}

  /**
   * A full cluster of gangs of two and three members on nodes at random, some of which end for one
   * that needs most of one rack.
   *
   * @param ticks costs of all that came after the gang had been created
   * @param victims those that ran, by uid
   * @param ended uids
   */
  record Preempted(CpuSamples ticks, Map<String, Victim> victims, Set<String> ended) {}

  /** A pod of a gang in a rack. */
  record Victim(String gang, int priority, int rack) {}

  static Preempted preempt(int nodes, int victims) {
    var cluster = new PlayedCluster(machines(nodes));
    var running = new HashMap<String, Victim>();
    var free = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
    var random = new Random(nodes);
    Collections.shuffle(free, random);
    for (int gang = 0; gang < victims; gang++) {
      int members = Math.ceilDiv(free.size(), victims - gang);
      int priority = random.nextInt(50);
      for (int i = 0; i < members; i++) {
        int node = free.removeLast();
        running.put(
            "uid-v" + gang + "-" + i, new Victim("v" + gang, priority, node / NODES_A_RACK));
        cluster.create(
            aPod("v" + gang + "-" + i)
                .gpus(DEVICES)
                .gang("v" + gang, members)
                .priority(priority)
                .on(name(node))
                .placedBy(1)
                .build());
      }
    }
    cluster.lead();
    for (int i = 0; i < SEGMENT; i++) {
      cluster.create(
          aPod("high-" + i)
              .gpus(DEVICES)
              .gang("high", terms("high", SEGMENT).topology(Topology.requiring("rack")).build(), "")
              .priority(100)
              .createdAt(cluster.now())
              .gated()
              .build());
    }
    cluster.forgetCosts();
    for (int tick = 0; tick < LONGEST_TICKS && cluster.evicted().isEmpty(); tick++) {
      cluster.tick();
    }
    return new Preempted(cluster.spent(Work.TICK), running, cluster.evicted());
  }

  /** A gang of segments of which one runs and all others find no room; it has been led. */
  static PlayedCluster refused(int nodes, int members) {
    var cluster = new PlayedCluster(machines(nodes));
    for (int node = SEGMENT; node < nodes; node++) {
      int taken = node == SEGMENT ? DEVICES - 2 : DEVICES;
      cluster.create(aPod("full-" + node).gpus(taken).on(name(node)).build());
    }
    cluster.lead();
    var segments =
        terms("g", SEGMENT)
            .topology(Topology.ANYWHERE.inSegments(new Topology.Segment("rack", SEGMENT)))
            .build();
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod("g-" + i)
              .gpus(DEVICES)
              .gang("g", segments, "")
              .createdAt(cluster.now())
              .gated()
              .build());
    }
    cluster.settle();
    cluster.tick();
    if (cluster.bound() != SEGMENT) {
      throw new IllegalStateException(cluster.bound() + " members are bound");
    }
    return cluster;
  }

  /** The node with two free devices there. */
  static String roomiest() {
    return name(SEGMENT);
  }

  private static List<Node> machines(int nodes) {
    return IntStream.range(0, nodes)
        .mapToObj(node ->
            aNode(name(node)).gpus(DEVICES).label("rack", "r" + node / NODES_A_RACK).build())
        .toList();
  }

  private static String name(int node) {
    return "n%05d".formatted(node);
  }
}
