package io.muster.extender.bench;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;

import io.muster.extender.bench.PlayedCluster.Work;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    return preempt(nodes, victims, 0);
  }

  /**
   * The same.
   *
   * @param hopeless gangs that come before it and need a level that no node is in
   */
  static Preempted preempt(int nodes, int victims, int hopeless) {
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
    for (int gang = 0; gang < hopeless; gang++) {
      var terms = terms("h" + gang, 1).topology(Topology.requiring("spine")).build();
      cluster.create(
          aPod("h%d-0".formatted(gang))
              .gpus(DEVICES)
              .gang("h" + gang, terms, "")
              .priority(200)
              .createdAt(cluster.now())
              .gated()
              .build());
    }
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

  /** A gang of segments that has started, and then so many more members one after the other. */
  static PlayedCluster late(int nodes, int members) {
    var cluster = new PlayedCluster(machines(nodes));
    cluster.lead();
    var segments = Topology.ANYWHERE.inSegments(new Topology.Segment("rack", SEGMENT));
    for (int i = 0; i < SEGMENT + members; i++) {
      cluster.create(member("g", i, SEGMENT, segments, cluster));
      cluster.settle();
      if (i == SEGMENT - 1) {
        cluster.tick();
        cluster.forgetCosts();
      }
    }
    if (cluster.bound() != SEGMENT + members) {
      throw new IllegalStateException(cluster.bound() + " members are bound");
    }
    return cluster;
  }

  /**
   * A gang that fills its rack, one that joins it and of which members wait for room in that rack,
   * and so many gangs beside them; it has been led.
   */
  static PlayedCluster joining(int gangs, int members) {
    var cluster = new PlayedCluster(machines(Math.max(gangs, 2 * NODES_A_RACK)));
    var rack = Topology.requiring("rack");
    for (int i = 0; i < NODES_A_RACK - 1; i++) {
      cluster.create(
          aPod("g-" + i)
              .gpus(DEVICES)
              .gang("g", terms("g", NODES_A_RACK - 1).topology(rack).build(), "")
              .on(name(i))
              .placedBy(1)
              .build());
    }
    for (int gang = NODES_A_RACK; gang < gangs; gang++) {
      cluster.create(
          aPod("b%d-0".formatted(gang))
              .gpus(1)
              .gang("b" + gang, 1)
              .on(name(gang))
              .placedBy(1)
              .build());
    }
    cluster.lead();
    for (int i = 0; i < DEVICES + members; i++) {
      cluster.create(member("more", i, DEVICES, rack.joining(Optional.of("g")), cluster));
    }
    cluster.settle();
    cluster.tick();
    if (cluster.bound() != DEVICES) {
      throw new IllegalStateException(cluster.bound() + " members are bound");
    }
    cluster.forgetCosts();
    cluster.tick();
    return cluster;
  }

  private static Pod member(
      String gang, int index, int min, Topology topology, PlayedCluster cluster) {
    return aPod(gang + "-" + index)
        .gpus(1)
        .gang(gang, terms(gang, min).topology(topology).build(), "")
        .createdAt(cluster.now())
        .gated()
        .build();
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
