package io.muster.extender.bench;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static java.util.Comparator.comparingInt;

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
   * @param first cost of the first tick after the gang had been created, which says why it waits
   * @param later costs of the others
   * @param victims those that ran at the end, by uid
   * @param ended uids
   */
  record Preempted(
      CpuSamples first, CpuSamples later, Map<String, Victim> victims, Set<String> ended) {}

  /** A pod of a gang in a rack. */
  record Victim(Pod pod, String gang, int priority, int node) {

    int rack() {
      return node / NODES_A_RACK;
    }
  }

  static Preempted preempt(int nodes, int victims) {
    return preempt(nodes, victims, 0, false);
  }

  /**
   * The same.
   *
   * @param hopeless gangs that come before it and need a level that no node is in
   * @param churns whether all the time one gang ends and another takes its place
   */
  static Preempted preempt(int nodes, int victims, int hopeless, boolean churns) {
    var cluster = new PlayedCluster(machines(nodes));
    var running = new HashMap<String, Victim>();
    var free = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
    var random = new Random(nodes);
    Collections.shuffle(free, random);
    for (int gang = 0; gang < victims; gang++) {
      int members = Math.ceilDiv(free.size(), victims - gang);
      var own = free.subList(free.size() - members, free.size());
      run(cluster, running, "v" + gang, List.copyOf(own), random.nextInt(50));
      own.clear();
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
    cluster.tick();
    var first = cluster.spent(Work.TICK);
    cluster.forgetCosts();
    for (int tick = 0; tick < LONGEST_TICKS && cluster.evicted().isEmpty(); tick++) {
      if (churns) {
        replaceOne(cluster, running, "w" + tick, random);
      }
      cluster.tick();
    }
    return new Preempted(first, cluster.spent(Work.TICK), running, cluster.evicted());
  }

  private static void run(
      PlayedCluster cluster,
      Map<String, Victim> running,
      String gang,
      List<Integer> nodes,
      int priority) {
    for (int node : nodes) {
      var pod =
          aPod(gang + "-" + node)
              .gpus(DEVICES)
              .gang(gang, nodes.size())
              .priority(priority)
              .createdAt(cluster.now())
              .on(name(node))
              .placedBy(1)
              .build();
      running.put(pod.key().uid(), new Victim(pod, gang, priority, node));
      cluster.create(pod);
    }
  }

  /** A gang ends, and on its nodes another one starts. */
  private static void replaceOne(
      PlayedCluster cluster, Map<String, Victim> running, String gang, Random random) {
    var victims = running.values().stream().sorted(comparingInt(Victim::node)).toList();
    var chosen = victims.get(random.nextInt(victims.size())).gang();
    var leaving = victims.stream().filter(victim -> victim.gang().equals(chosen)).toList();
    for (var victim : leaving) {
      running.remove(victim.pod().key().uid());
      cluster.end(victim.pod(), new CpuSamples());
    }
    var nodes = leaving.stream().map(Victim::node).toList();
    run(cluster, running, gang, nodes, random.nextInt(50));
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
