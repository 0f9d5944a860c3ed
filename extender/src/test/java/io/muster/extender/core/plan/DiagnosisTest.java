package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.device.Offer;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.diagnosis.Copies;
import io.muster.extender.core.plan.diagnosis.Diagnosis;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Cause;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Why a gang has no room, checked against situations that were built to have one cause. */
final class DiagnosisTest {

  private static final String GPU = "nvidia.com/gpu";
  private static final int OF_EACH = 125;

  private final Planner planner = new Planner(PackingPolicy.DEFAULT);

  /** Nodes that are being filled, and what is asked of them. */
  private static final class Situation {
    final Inventory inventory = new Inventory();
    final List<Demand> members = new ArrayList<>();
    Topology topology = Topology.ANYWHERE;
    int holders;

    void node(NodeBuilder node, long usedGpus, long usedCpu) {
      var built = node.build();
      inventory.seen(built);
      if (usedGpus > 0 || usedCpu > 0) {
        inventory.occupy(
            "pod-" + holders++, built.name(), new Resources(usedCpu, 0, Map.of(GPU, usedGpus)));
      }
    }

    GangRequest request() {
      return new GangRequest(List.of(new GangRequest.Part(members, topology)), Set.of());
    }
  }

  private static Demand member(long gpus, long cpu, Map<String, String> selector) {
    return new Demand(new Resources(cpu, 0, Map.of(GPU, gpus)), selector, List.of(), List.of());
  }

  private static final Map<String, String> ANY = Map.of();

  /**
   * Nodes of eight devices; each member asks for one size. What is in the way is the cause alone;
   * full nodes, nodes without devices and closed nodes without room are strewn in.
   */
  private static Situation situation(Cause cause, Random random) {
    var situation = new Situation();
    long size = new long[] {2, 4, 8}[random.nextInt(3)];
    int members = 2 + random.nextInt(12);
    int perNode = (int) (8 / size);
    int needed = (members + perNode - 1) / perNode;
    var selector = cause == Cause.UNSUITABLE ? Map.of("pool", "a") : ANY;
    long cpu = cause == Cause.NOT_ENOUGH_BESIDE ? 4000 : random.nextInt(2) * 1000L;
    situation.members.addAll(Collections.nCopies(members, member(size, cpu, selector)));
    switch (cause) {
      case TOO_LARGE -> {
        int nodes = Math.max(1, needed - 1 - random.nextInt(needed));
        for (int i = 0; i < nodes && i * perNode + perNode < members; i++) {
          situation.node(gpuNode("n" + i), random.nextInt(9), 0);
        }
      }
      case NOT_ENOUGH_FREE -> {
        for (int i = 0; i < needed + random.nextInt(3); i++) {
          // Whole members at most, and one too few in all.
          boolean isFree = i < needed - 1 && random.nextBoolean();
          situation.node(gpuNode("n" + i), isFree ? 0 : 8, 0);
        }
      }
      case FRAGMENTED -> {
        long taken = size == 8 ? 1 + random.nextInt(4) : 8 - size + 1;
        long free = 8 - taken;
        long nodes = (members * size + free - 1) / free + random.nextInt(3);
        for (int i = 0; i < Math.max(nodes, needed); i++) {
          situation.node(gpuNode("n" + i), taken, 0);
        }
      }
      case NOT_ENOUGH_BESIDE -> {
        for (int i = 0; i < needed + random.nextInt(3); i++) {
          situation.node(gpuNode("n" + i), 0, 64_000 - random.nextInt(3000));
        }
      }
      case TOPOLOGY -> {
        situation.topology = Topology.requiring("rack");
        for (int i = 0; i < needed + 1; i++) {
          situation.node(gpuNode("n" + i).label("rack", "r" + i % 2), 0, 0);
        }
        if (members <= (needed + 2) / 2 * perNode) {
          situation.members.addAll(
              Collections.nCopies((needed + 1) * perNode - members, situation.members.getFirst()));
        }
      }
      case UNSUITABLE -> {
        for (int i = 0; i < needed; i++) {
          situation.node(gpuNode("n" + i).label("pool", "b"), random.nextInt(9), 0);
        }
      }
      case TAINTED -> {
        for (int i = 0; i < needed; i++) {
          situation.node(
              gpuNode("n" + i).taint("reserved", "yes", Taint.Effect.NO_SCHEDULE),
              random.nextInt(9),
              0);
        }
      }
      case UNAVAILABLE -> {
        for (int i = 0; i < needed; i++) {
          var how = random.nextBoolean() ? Node.Availability.CORDONED : Node.Availability.NOT_READY;
          situation.node(gpuNode("n" + i).availability(how), 0, 0);
        }
        if (random.nextBoolean()) {
          for (int i = 0; i < needed; i++) {
            situation.node(gpuNode("full" + i), 8, 0);
          }
        }
      }
    }
    strew(situation, random);
    return situation;
  }

  private static NodeBuilder gpuNode(String name) {
    return aNode(name).gpus(8).cpuMillis(64_000);
  }

  /** What is there beside, and changes nothing. */
  private static void strew(Situation situation, Random random) {
    for (int i = 0; i < random.nextInt(4); i++) {
      situation.node(aNode("cpu" + i).gpus(0), 0, 0);
    }
  }

  @ParameterizedTest
  @EnumSource(Cause.class)
  void theCauseIsNamedThatTheSituationWasBuiltWith(Cause cause) {
    var found = new EnumMap<Cause, Integer>(Cause.class);
    for (int seed = 0; seed < OF_EACH; seed++) {
      var situation = situation(cause, new Random(seed));
      var verdict = planner.decide(situation.inventory.snapshot(), situation.request());
      assertThat(verdict).as("%s, seed %d", cause, seed).isInstanceOf(Verdict.NoRoom.class);
      var finding = finding(situation);
      found.merge(finding.cause(), 1, Integer::sum);
      assertThat(finding.evidence()).isNotBlank();
      assertThat(finding.remedy()).isNotBlank();
    }
    assertThat(found).containsExactly(Map.entry(cause, OF_EACH));
  }

  private Diagnosis.Finding finding(Situation situation) {
    return Diagnosis.of(planner, new Copies(situation.inventory.snapshot()), situation.request());
  }

  @Test
  void whatIsSaidOfAFragmentedClusterCountsWhatIsFreeAndWhatIsMissing() {
    var situation = new Situation();
    for (int i = 0; i < 8; i++) {
      situation.node(gpuNode("n" + i), 7, 0);
    }
    situation.node(gpuNode("whole"), 0, 0);
    situation.members.addAll(Collections.nCopies(2, member(8, 0, ANY)));

    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.FRAGMENTED,
                "16 nvidia.com/gpu are free on 9 nodes, in pieces that hold 1 of the 2 members",
                "needs room for 1 more member (nvidia.com/gpu 8)"));
  }

  @Test
  void whatIsSaidOfABusyClusterCountsWhatMustComeFree() {
    var situation = new Situation();
    situation.node(gpuNode("a"), 8, 0);
    situation.node(gpuNode("b"), 0, 0);
    situation.members.addAll(Collections.nCopies(2, member(8, 0, ANY)));

    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.NOT_ENOUGH_FREE,
                "8 nvidia.com/gpu of the 16 needed are free on the 2 nodes that will do",
                "wait until 8 nvidia.com/gpu come free, or add nodes for 1 more member"
                    + " (nvidia.com/gpu 8)"));
  }

  @Test
  void whatIsSaidOfASmallClusterCountsWhatItCouldHold() {
    var situation = new Situation();
    situation.node(gpuNode("a"), 8, 0);
    situation.members.addAll(Collections.nCopies(3, member(8, 0, ANY)));

    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.TOO_LARGE,
                "even empty, the 1 node that will do would hold 1 of the 3 members",
                "add nodes for 2 more members (nvidia.com/gpu 8 each), or make the gang smaller"));
  }

  /** Racks of random room, and members of one node each in segments that do not all fit. */
  private static final class Racks {
    private final int[] free;
    private final int size;
    private final int segments;

    Racks(int[] free, int size, int segments) {
      this.free = free;
      this.size = size;
      this.segments = segments;
    }

    static Racks random(Random random) {
      int size = 1 + random.nextInt(5);
      var free = random.ints(2 + random.nextInt(5), 1, 9).toArray();
      int have = Arrays.stream(free).map(nodes -> nodes / size).sum();
      return new Racks(free, size, Math.max(2, have + 1 + random.nextInt(2)));
    }

    Situation situation(int members) {
      var situation = new Situation();
      situation.topology =
          Topology.ANYWHERE.inSegments(new Topology.Segment("rack", Math.max(size, 1)));
      for (int rack = 0; rack < free.length; rack++) {
        for (int i = 0; i < free[rack]; i++) {
          situation.node(gpuNode("n%d-%d".formatted(rack, i)).label("rack", "r" + rack), 0, 0);
        }
      }
      for (int i = 0; i < members; i++) {
        situation.node(gpuNode("apart-" + i), 0, 0);
        situation.node(gpuNode("busy-" + i).label("rack", "r0"), 8, 0);
      }
      situation.members.addAll(Collections.nCopies(members, member(8, 0, ANY)));
      return situation;
    }
  }

  /** What is said is tried: so many fit, and with that much room more in that rack one more. */
  @Test
  void whatIsSaidOfSegmentsIsTrue() {
    int each = 0;
    for (int seed = 0; seed < 200; seed++) {
      var racks = Racks.random(new Random(seed));
      var finding = finding(racks.situation(racks.segments * racks.size));
      assertThat(finding.cause()).as("seed %d", seed).isEqualTo(Cause.TOPOLOGY);
      var said = SEGMENTS.matcher(finding.evidence());
      assertThat(said.matches()).as("seed %d: %s", seed, finding.evidence()).isTrue();
      each += said.group("each") == null ? 0 : 1;
      var numbers =
          said.group("each") == null
              ? List.of(said.group("n"), said.group("s"), said.group("h"))
              : List.of(said.group("n1"), said.group("s1"), said.group("h1"));
      assertThat(numbers.get(0)).isEqualTo("" + racks.segments);
      assertThat(numbers.get(1)).isEqualTo("" + racks.size);
      int have = Integer.parseInt(numbers.get(2));
      int rack = Integer.parseInt(said.group("rack"));
      int lacks = Integer.parseInt(said.group("lacks"));
      for (int more = 0; more <= lacks; more++) {
        var then = racks.free.clone();
        then[rack] += more;
        int fit = more == lacks ? have + 1 : have;
        assertThat(fits(new Racks(then, racks.size, fit))).as("seed %d", seed).isTrue();
        assertThat(fits(new Racks(then, racks.size, fit + 1))).as("seed %d", seed).isFalse();
      }
    }
    assertThat(each).isBetween(20, 180);
  }

  private static final Pattern SEGMENTS =
      Pattern.compile(
          "(?:(?<each>needs (?<n1>\\d+) domains of rack with room for (?<s1>\\d+) members each,"
              + " (?<h1>\\d+) have it)|needs room for (?<n>\\d+) segments of (?<s>\\d+) members, each"
              + " in one rack, and there is room for (?<h>\\d+)); rack r(?<rack>\\d+) lacks room for"
              + " (?<lacks>\\d+)");

  private boolean fits(Racks racks) {
    if (racks.segments == 0) {
      return true;
    }
    var situation = racks.situation(racks.segments * racks.size);
    return planner.decide(situation.inventory.snapshot(), situation.request())
        instanceof Verdict.Placed;
  }

  @Test
  void aGangThatTooFewRacksHoldIsToldHowManyDo() {
    var situation = new Racks(new int[] {4, 4, 4, 2}, 4, 4).situation(16);
    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.TOPOLOGY,
                "needs 4 domains of rack with room for 4 members each, 3 have it; rack r3 lacks"
                    + " room for 2",
                "wait until domains have room, or let the members be preferably close"
                    + " (muster.io/gang-topology-preferred)"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"required", "segments", "required of several kinds"})
  void aLevelThatThereIsNotIsToBeStatedInTheConfigMap(String asked) {
    var situation = new Racks(new int[] {4, 4}, 4, 2).situation(8);
    situation.topology =
        asked.equals("segments")
            ? Topology.ANYWHERE.inSegments(new Topology.Segment("spine", 4))
            : Topology.requiring("spine");
    if (asked.endsWith("kinds")) {
      situation.members.set(0, member(4, 0, ANY));
    }
    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.TOPOLOGY,
                "spine is neither a level of the cluster nor a label of any node",
                "add the level spine to the ConfigMap muster-topology, with a label that nodes"
                    + " have, or mend what the pods ask for"));
  }

  @Test
  void aLevelThatIsStatedIsToBeBorneByNodes() {
    var situation = new Racks(new int[] {4, 4}, 4, 2).situation(8);
    situation.topology = Topology.requiring("spine");
    situation.inventory.levels(
        new Levels(List.of(new Levels.Level("spine", "example.com/spine", 0)), false));
    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.TOPOLOGY,
                "no node has the label example.com/spine of level spine",
                "label the nodes with example.com/spine, or mend level spine in the ConfigMap"
                    + " muster-topology"));
  }

  @Test
  void nodesThatAreKeptInReserveAreNamedWhereTheyWouldDo() {
    var situation = new Racks(new int[] {4}, 4, 1).situation(4);
    situation.inventory.levels(new Levels(List.of(new Levels.Level("rack", "rack", 1)), false));
    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.UNAVAILABLE,
                "there is room on nodes that the ConfigMap muster-topology keeps in reserve",
                "wait until other nodes come free, or keep fewer"));
  }

  @Test
  void atMostThreeReasonsSayWhyDevicesAreNotCounted() {
    var situation = new Situation();
    situation.members.add(member(8, 0, ANY));
    for (var pool : List.of("a", "b", "c")) {
      unknown(situation, pool);
    }
    assertThat(finding(situation).evidence())
        .endsWith("; devices of 3 nodes cannot be counted: pool a, pool b, pool c");
    unknown(situation, "d");
    unknown(situation, "e");
    assertThat(finding(situation).evidence())
        .endsWith("; devices of 5 nodes cannot be counted: pool a, pool b, pool c and 2 more");
  }

  private static void unknown(Situation situation, String pool) {
    situation.inventory.seen(
        aNode(pool).build().offering(new Offer(List.of(), Map.of(GPU, "pool " + pool))));
  }

  @Test
  void thatNoCpuIsLeftIsSaidAsANumber() {
    var situation = new Situation();
    situation.node(gpuNode("own").cpuMillis(8_000), 0, 8_000);
    situation.members.add(member(0, 8_000, Map.of()));

    assertThat(finding(situation).evidence())
        .isEqualTo("cpu 0 of the cpu 8 needed are free on the 1 node that will do");
  }

  @Test
  void roomThatIsClosedToTheMembersIsMentionedWhereTheirOwnNodesAreBusy() {
    var situation = new Situation();
    situation.node(gpuNode("own").label("pool", "a"), 8, 0);
    situation.node(gpuNode("other").label("pool", "b"), 0, 0);
    situation.members.add(member(8, 0, Map.of("pool", "a")));

    assertThat(finding(situation))
        .isEqualTo(
            new Diagnosis.Finding(
                Cause.NOT_ENOUGH_FREE,
                "0 nvidia.com/gpu of the 8 needed are free on the 1 node that will do",
                "wait until 8 nvidia.com/gpu come free, or add nodes for 1 more member"
                    + " (nvidia.com/gpu 8); nodes that their node selector, affinity or volumes"
                    + " keep them from have room"));
  }
}
