package io.muster.extender.bench;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;

import io.muster.extender.bench.PlayedCluster.Work;
import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What the deciding thread costs, in CPU time, without a cluster: a pod that ends and a quiet tick
 * beside many waiting gangs, and one large gang from its first member to its last binding.
 *
 * <p>Then members of segments that find no room, and gangs that end for one that needs a rack.
 *
 * <p>Options: {@code --nodes 1000 --gangs 10,100,1000,5000 --members 512,1000,2000,5000 --samples
 * 200 --rounds 5 --seconds 20 --rack-nodes 2000 --victims 700}; {@code --seconds} is the longest
 * that one figure may take.
 */
public final class CoreBenchmark {

  /** Beside the many gangs; 100 freed pods a second take half a core then. */
  private static final double BAR_MILLIS = 5;

  private static final int GANGS_OF_BAR = 1_000;
  private static final int DEVICES = 8;
  private static final int MEMBERS_OF_WAITING = 8;
  private static final int DEVICES_OF_WAITING = 2;
  private static final int NODES_WITH_ONE_FREE = 32;
  private static final int LONGEST_TICKS = 120;

  /** By then the first in line has a backfill reservation. */
  private static final int TICKS_UNTIL_RESERVATION = 700;

  private final Map<String, String> options;
  private final int nodes;
  private final int samples;
  private final int rounds;
  private final Duration longest;

  private CoreBenchmark(Map<String, String> options) {
    this.options = options;
    nodes = number("nodes", "1000");
    samples = number("samples", "200");
    rounds = number("rounds", "5");
    longest = Duration.ofSeconds(number("seconds", "20"));
    if (nodes <= NODES_WITH_ONE_FREE) {
      throw new IllegalArgumentException("--nodes must exceed " + NODES_WITH_ONE_FREE);
    }
  }

  /** Prints the tables and one line of JSON. */
  public static void main(String[] args) {
    if (args.length % 2 != 0
        || IntStream.range(0, args.length / 2).anyMatch(i -> !args[2 * i].startsWith("--"))) {
      System.err.println("bench core: options come as --name value");
      System.exit(2);
    }
    var options = new HashMap<String, String>();
    for (int i = 0; i < args.length; i += 2) {
      options.put(args[i].substring(2), args[i + 1]);
    }
    new CoreBenchmark(options).run();
  }

  private int number(String name, String otherwise) {
    return Integer.parseInt(options.getOrDefault(name, otherwise));
  }

  private int[] numbers(String name, String otherwise) {
    return Arrays.stream(options.getOrDefault(name, otherwise).split(","))
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  private void run() {
    System.out.printf("CPU ms of the deciding thread, %d nodes of %d devices%n", nodes, DEVICES);
    System.out.printf(
        "%n%-20s %18s %9s %9s %9s %9s%n",
        "waiting gangs of " + MEMBERS_OF_WAITING, "", "p50", "p99", "most", "samples");
    double held = 0;
    for (int gangs : numbers("gangs", "10,100,1000,5000")) {
      double freed = waiting(gangs);
      if (gangs <= GANGS_OF_BAR) {
        held = freed;
      }
    }
    System.out.printf("%n%-14s", "one gang of");
    for (var name : List.of("total p50", "total p99", "seen", "ungated", "filter", "bind")) {
      System.out.printf("%10s", name);
    }
    System.out.printf("%10s%10s%10s%12s%n", "written", "bound", "tick", "worst call");
    gang(numbers("members", "512,1000,2000,5000")[0], Math.min(3, rounds), false);
    for (int members : numbers("members", "512,1000,2000,5000")) {
      gang(members, rounds, true);
    }
    System.out.printf(
        "%n%-20s %18s %9s %9s %9s %9s%n", "refused members", "", "p50", "p99", "most", "samples");
    for (int members : numbers("members", "512,1000,2000,5000")) {
      refused(members);
    }
    for (int members : numbers("members", "512,1000,2000,5000")) {
      row(members, "a late one's bind", Racks.late(nodes, members).spent(Work.BIND));
    }
    for (int gangs : numbers("gangs", "10,100,1000,5000")) {
      row(gangs, "beside gangs: asked", Racks.joining(gangs, 200).spent(Work.FILTER));
    }
    preempt(number("rack-nodes", "2000"), number("victims", "700"));
    System.out.println();
    System.out.println(
        Report.line("core", "CPU ms p99 of a freed pod", "lower", "null", held, BAR_MILLIS));
  }

  /** What ends a pod beside so many waiting gangs costs, then a quiet tick; p99 of the first. */
  private double waiting(int gangs) {
    var cluster = new PlayedCluster(machines());
    for (int node = 0; node < nodes; node++) {
      cluster.create(aPod("full-" + node).gpus(taken(node)).on(name(node)).build());
    }
    var passing = new Passing(cluster, name(0));
    for (int gang = 0; gang < gangs; gang++) {
      for (int i = 0; i < MEMBERS_OF_WAITING; i++) {
        cluster.create(
            member("g" + gang, i, MEMBERS_OF_WAITING, DEVICES_OF_WAITING, cluster).build());
      }
    }
    cluster.lead();
    repeat(passing::forgetCosts, passing::endAndFollow);
    row(gangs, "a pod ends", passing.cost);
    repeat(cluster::forgetCosts, cluster::tick);
    row(gangs, "quiet tick", cluster.spent(Work.TICK));
    for (int n = 0; n < TICKS_UNTIL_RESERVATION; n++) {
      cluster.tick();
    }
    repeat(passing::forgetCosts, passing::endAndFollow);
    row(gangs, "a pod ends, later", passing.cost);
    repeat(cluster::forgetCosts, cluster::tick);
    row(gangs, "quiet tick, later", cluster.spent(Work.TICK));
    if (cluster.bound() > 0 || !cluster.ended().isEmpty()) {
      throw new IllegalStateException(
          "%d members bound and %s ended, though no gang fits"
              .formatted(cluster.bound(), cluster.ended()));
    }
    return passing.cost.millis(99);
  }

  /** Does it as often as samples are wanted and time allows, after a fourth of that as warm-up. */
  private void repeat(Runnable beginToCount, Runnable work) {
    long begun = System.nanoTime();
    for (int n = 0; n < samples / 4 && System.nanoTime() - begun < longest.toNanos() / 4; n++) {
      work.run();
    }
    beginToCount.run();
    for (int n = 0; n < samples && System.nanoTime() - begun < longest.toNanos(); n++) {
      work.run();
    }
  }

  private int taken(int node) {
    if (node == 0) {
      return DEVICES - DEVICES_OF_WAITING;
    }
    return node <= NODES_WITH_ONE_FREE ? DEVICES - 1 : DEVICES;
  }

  private static void row(int gangs, String what, CpuSamples cost) {
    System.out.printf(
        Locale.ROOT,
        "%-20d %18s %9.3f %9.3f %9.3f %9d%n",
        gangs,
        what,
        cost.millis(50),
        cost.millis(99),
        cost.millis(100),
        cost.count());
  }

  /** The longest call in a search for gangs to end for one that needs a rack, warm at the end. */
  private void preempt(int rackNodes, int victims) {
    var reasons = new CpuSamples();
    var slices = new CpuSamples();
    var preempted = Racks.preempt(rackNodes, victims);
    for (int round = 0; round < rounds; round++) {
      preempted = Racks.preempt(rackNodes, victims);
      reasons.add((long) (preempted.first().millis(100) * 1e6));
      slices.add((long) (preempted.later().millis(100) * 1e6));
    }
    System.out.printf(
        Locale.ROOT,
        "%n%d pods of %d gangs on %d nodes end for a gang of %d that needs a rack: longest call"
            + " %.1f ms, at most %.1f; to say why it waits %.1f, at most %.1f%n",
        preempted.ended().size(),
        victims,
        rackNodes,
        Racks.SEGMENT,
        slices.millis(50),
        slices.millis(100),
        reasons.millis(50),
        reasons.millis(100));
  }

  /** What ends a pod beside so many members whose segments find no room. */
  private void refused(int members) {
    var passing = new Passing(Racks.refused(nodes, members), Racks.roomiest());
    repeat(passing::forgetCosts, passing::endAndFollow);
    row(members, "a pod ends", passing.cost);
  }

  /** One gang a cluster, from its first member to its last binding. */
  private void gang(int members, int times, boolean shown) {
    var totals = new CpuSamples();
    var byWork = new EnumMap<Work, Long>(Work.class);
    double worst = 0;
    long end = System.nanoTime() + longest.toNanos();
    for (int round = 0; round < times && (round < 1 || System.nanoTime() < end); round++) {
      var cluster = started(members);
      long total = 0;
      for (var work : Work.values()) {
        var spent = cluster.spent(work);
        byWork.merge(work, spent.total(), Long::sum);
        total += spent.total();
        worst = Math.max(worst, spent.millis(100));
      }
      totals.add(total);
    }
    if (shown) {
      System.out.printf(
          Locale.ROOT, "%-14d%10.1f%10.1f", members, totals.millis(50), totals.millis(99));
      for (long nanos : byWork.values()) {
        System.out.printf(Locale.ROOT, "%10.1f", nanos / 1e6 / totals.count());
      }
      System.out.printf(Locale.ROOT, "%12.2f%n", worst);
    }
  }

  private PlayedCluster started(int members) {
    var cluster = new PlayedCluster(machines());
    cluster.lead();
    cluster.forgetCosts();
    for (int i = 0; i < members; i++) {
      cluster.create(member("g", i, members, 1, cluster).build());
      cluster.settle();
    }
    for (int tick = 0; tick < LONGEST_TICKS && cluster.bound() < members; tick++) {
      cluster.tick();
    }
    if (cluster.bound() < members || !cluster.ended().isEmpty()) {
      throw new IllegalStateException(
          "%d of %d members bound after %d s, ended: %s"
              .formatted(cluster.bound(), members, LONGEST_TICKS / 2, cluster.ended()));
    }
    return cluster;
  }

  private static PodBuilder member(
      String gang, int index, int min, int devices, PlayedCluster cluster) {
    return aPod(gang + "-" + index).gpus(devices).gang(gang, min).createdAt(cluster.now()).gated();
  }

  private List<Node> machines() {
    return IntStream.range(0, nodes)
        .mapToObj(node -> aNode(name(node)).gpus(DEVICES).build())
        .toList();
  }

  private static String name(int node) {
    return "n%04d".formatted(node);
  }

  /**
   * Pods of which one comes when the other has ended. When it has, there is room for one member of
   * a waiting gang, not for two, and as many free devices in all as a gang asks for.
   */
  private static final class Passing {

    private final PlayedCluster cluster;
    private final String node;
    private CpuSamples cost = new CpuSamples();
    private Pod here;
    private int count;

    Passing(PlayedCluster cluster, String node) {
      this.cluster = cluster;
      this.node = node;
      here = next();
    }

    private Pod next() {
      var pod = aPod("passing-" + count++).gpus(DEVICES_OF_WAITING).on(node).build();
      cluster.create(pod);
      return pod;
    }

    void forgetCosts() {
      cost = new CpuSamples();
    }

    void endAndFollow() {
      cluster.pass(Duration.ofMillis(20));
      cluster.end(here, cost);
      cluster.settle();
      here = next();
      cluster.settle();
    }
  }
}
