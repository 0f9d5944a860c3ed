package io.muster.extender.bench;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Snapshot;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.WholeDevices;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.extender.core.plan.packing.SharedCluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * How long one plan takes: the nodes of openb, replicated to 10,000, 70 % of their devices in use,
 * and a gang of 1,000 members in four roles. Beside it: a gang that finds no room, with and without
 * the sentence that says why, and one that is refused by the totals.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PlanBenchmark {

  private static final double BAR_MILLIS = 10;
  private static final Set<String> HELD = Set.of("placesAGangOf1000", "places1024InSegmentsOf16");
  private static final int NODES = 10_000;
  private static final int MEMBERS = 1_000;
  private static final String GPU = WholeDevices.GPU;
  private static final String BLOCK = "topology.example.com/block";
  private static final String RACK = "topology.example.com/rack";
  private static final int NODES_OF_A_BLOCK = 500;

  /** How the cluster is packed. */
  @Param({"fgd"})
  public String policy;

  private Planner planner;
  private Snapshot snapshot;
  private GangRequest fits;
  private GangRequest fitsInBlock;
  private GangRequest almostFits;
  private GangRequest tooLarge;
  private GangRequest inSegments;
  private GangRequest inTooManySegments;
  private GangRequest amongRacks;
  private Snapshot racks;
  private Snapshot levels;

  /** Fills the cluster with the trace's own pods, in an order that is always the same. */
  @Setup
  public void fill() {
    var inventory = new Inventory();
    var machines = Openb.nodes();
    long devices = 0;
    for (int i = 0; i < NODES; i++) {
      var machine = machines.get(i % machines.size());
      devices += machine.devices();
      inventory.seen(
          new Node(
              "%s-%d".formatted(machine.name(), i / machines.size()),
              Map.of(
                  "kubernetes.io/hostname",
                  machine.name() + "-" + i / machines.size(),
                  "gpu",
                  machine.model(),
                  BLOCK,
                  "b" + i / NODES_OF_A_BLOCK),
              List.of(new Taint(GPU, "present", Taint.Effect.NO_SCHEDULE)),
              Node.Availability.READY,
              WholeDevices.offered(machine),
              WholeDevices.PODS_OF_A_NODE));
    }
    var names = inventory.snapshot().rooms().stream().map(room -> room.node().name()).toList();
    var pods = Openb.pods("default").stream().filter(pod -> pod.ask().devices() > 0).toList();
    var random = new Random(42);
    long used = 0;
    for (int n = 0; used < devices * 7 / 10; n++) {
      var ask = pods.get(random.nextInt(pods.size())).ask();
      var name = names.get(random.nextInt(names.size()));
      if (inventory.reserve("pod" + n, name, WholeDevices.asked(ask))) {
        used += ask.devices();
      }
    }
    planner = new Planner(named(policy));
    snapshot = inventory.snapshot();
    fits = request(MEMBERS, 1, Topology.ANYWHERE);
    fitsInBlock = request(MEMBERS / 10, 1, Topology.preferring(BLOCK));
    almostFits = withOneThatFitsNowhere(fits);
    tooLarge = request(MEMBERS, 64, Topology.ANYWHERE);
    racks = racks(Levels.FOUND);
    levels =
        racks(
            new Levels(
                List.of(new Levels.Level("block", BLOCK, 0), new Levels.Level("rack", RACK, 0)),
                false));
    amongRacks = alike(MEMBERS, Topology.ANYWHERE);
    inSegments = segments(1_024);
    inTooManySegments = segments(5_600);
    if (!(planner.decide(snapshot, fits) instanceof Verdict.Placed)
        || !(planner.decide(snapshot, fitsInBlock) instanceof Verdict.Placed)
        || !snapshot.mayHold(almostFits)
        || !(planner.decide(snapshot, almostFits) instanceof Verdict.NoRoom)
        || snapshot.mayHold(tooLarge)
        || !(planner.decide(racks, inSegments) instanceof Verdict.Placed)
        || !(planner.decide(levels, amongRacks) instanceof Verdict.Placed)
        || !racks.mayHold(inTooManySegments)
        || !(planner.decide(racks, inTooManySegments) instanceof Verdict.NoRoom)) {
      throw new IllegalStateException("the cluster is not as full as it should be");
    }
  }

  /** Nodes of 8 devices in racks of 18 and blocks of 20 racks; 4 of 10 nodes are in use. */
  private static Snapshot racks(Levels levels) {
    var inventory = new Inventory(levels);
    var random = new Random(42);
    for (int i = 0; i < NODES; i++) {
      var name = "node-" + i;
      inventory.seen(
          new Node(
              name,
              Map.of("kubernetes.io/hostname", name, RACK, "r" + i / 18, BLOCK, "b" + i / 18 / 20),
              List.of(),
              Node.Availability.READY,
              new Resources(192_000, 2L << 40, Map.of(GPU, 8L)),
              WholeDevices.PODS_OF_A_NODE));
      boolean isFull = i / 18 % 10 < 4 && random.nextInt(10) < 9;
      if (isFull || random.nextInt(50) == 0) {
        inventory.reserve("pod-" + i, name, new Resources(8_000, 0, Map.of(GPU, 8L)));
      }
    }
    return inventory.snapshot();
  }

  private static GangRequest segments(int members) {
    return alike(
        members,
        Topology.ANYWHERE.inSegments(
            new Topology.Segment(RACK, 16), new Topology.Segment(BLOCK, 64)));
  }

  private static GangRequest alike(int members, Topology topology) {
    var demand =
        new Demand(
            new Resources(64_000, 1L << 38, Map.of(GPU, 8L)), Map.of(), List.of(), List.of());
    return new GangRequest(
        List.of(new GangRequest.Part(Collections.nCopies(members, demand), topology)), Set.of());
  }

  private static PackingPolicy named(String name) {
    return switch (name) {
      case "fgd-trace" ->
          new PackingPolicy.Fgd(
              SharedCluster.typical(
                  Openb.pods("default").stream().map(pod -> pod.ask().shape()).toList(), 95),
              true);
      case "fgd" -> PackingPolicy.DEFAULT;
      case "best-fit" -> new PackingPolicy.BestFit();
      case "first-fit" -> new PackingPolicy.FirstFit();
      case "spread" -> new PackingPolicy.Spread();
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Members of four roles in turns; each one a demand of its own, as pods have. */
  private static GangRequest request(int members, long factor, Topology topology) {
    var demands = new ArrayList<Demand>();
    for (int i = 0; i < members; i++) {
      long gpus = List.of(0L, 1L, 1L, 2L).get(i % 4) * factor;
      demands.add(
          new Demand(
              new Resources(
                  4_000L + 2_000L * (i % 4), 16L << 30, gpus == 0 ? Map.of() : Map.of(GPU, gpus)),
              i % 4 == 3 ? Map.of("gpu", "G2") : Map.of(),
              List.of(),
              List.of(new Toleration(GPU, true, "", Optional.empty()))));
    }
    return new GangRequest(List.of(new GangRequest.Part(demands, topology)), Set.of());
  }

  private static GangRequest withOneThatFitsNowhere(GangRequest request) {
    var members = new ArrayList<>(request.members());
    members.add(new Demand(members.get(1).requests(), Map.of("gpu", "none"), List.of(), List.of()));
    return GangRequest.of(members, Set.of());
  }

  /** The figure that is held to the bar. */
  @Benchmark
  public Verdict placesAGangOf1000() {
    return planner.decide(snapshot, fits);
  }

  /** With a topology. */
  @Benchmark
  public Verdict placesAGangOf100InOneBlock() {
    return planner.decide(snapshot, fitsInBlock);
  }

  /** 64 racks in 16 segments of blocks; held to the bar as well. */
  @Benchmark
  public Verdict places1024InSegmentsOf16() {
    return planner.decide(racks, inSegments);
  }

  /** Anywhere, in racks and blocks, so that those with much room are spared. */
  @Benchmark
  public Verdict places1000AmongRacks() {
    return planner.decide(levels, amongRacks);
  }

  /** The same without levels. */
  @Benchmark
  public Verdict places1000ByName() {
    return planner.decide(racks, amongRacks);
  }

  /** In segments of a gang for which there are too few racks, and says how many. */
  @Benchmark
  public String saysHowManyRacksAreMissing() {
    return ((Verdict.NoRoom) planner.decide(racks, inTooManySegments)).tally();
  }

  /** Every order is tried. */
  @Benchmark
  public Verdict refusesAGangThatAlmostFits() {
    return planner.decide(snapshot, almostFits);
  }

  /** The same, and says why. */
  @Benchmark
  public String saysWhyAGangDoesNotFit() {
    return ((Verdict.NoRoom) planner.decide(snapshot, almostFits)).tally();
  }

  /** By the totals. */
  @Benchmark
  public boolean refusesAGangByTheTotals() {
    return snapshot.mayHold(tooLarge);
  }

  /** Runs all of them, prints a table and one line of JSON; an argument names the policies. */
  public static void main(String[] args) throws RunnerException {
    var options =
        new OptionsBuilder()
            .include(PlanBenchmark.class.getSimpleName())
            .param("policy", args.length == 0 ? new String[] {"fgd"} : args[0].split(","))
            .forks(1)
            .warmupIterations(3)
            .warmupTime(TimeValue.seconds(2))
            .measurementIterations(5)
            .measurementTime(TimeValue.seconds(2))
            .build();
    var results = new Runner(options).run();
    System.out.printf("%n%-10s %-28s %10s %10s%n", "policy", "work", "p50 ms", "p99 ms");
    for (var result : results) {
      System.out.printf(
          Locale.ROOT,
          "%-10s %-28s %10.3f %10.3f%n",
          result.getParams().getParam("policy"),
          result.getPrimaryResult().getLabel(),
          millis(result, 50),
          millis(result, 99));
    }
    System.out.println(Report.line("plan", "ms p99", "lower", "null", held(results), BAR_MILLIS));
  }

  private static double held(Collection<RunResult> results) {
    return results.stream()
        .filter(result -> HELD.contains(result.getPrimaryResult().getLabel()))
        .mapToDouble(result -> millis(result, 99))
        .max()
        .orElseThrow();
  }

  private static double millis(RunResult result, double percentile) {
    return result.getPrimaryResult().getStatistics().getPercentile(percentile) / 1000;
  }
}
