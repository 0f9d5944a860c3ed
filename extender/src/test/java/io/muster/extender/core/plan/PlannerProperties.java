package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.Topology.Segment;
import io.muster.extender.core.plan.packing.Idle;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.extender.core.plan.packing.SharedCluster;
import io.muster.extender.core.plan.packing.SharedCluster.Ask;
import io.muster.extender.core.plan.packing.SharedCluster.Machine;
import io.muster.extender.core.plan.packing.TargetWorkload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

final class PlannerProperties {

  private static final String GPU = "nvidia.com/gpu";
  private static final List<String> LEVELS = List.of("rack", "zone");

  @Provide
  Arbitrary<PackingPolicy> policies() {
    return Arbitraries.of(
        PackingPolicy.DEFAULT,
        new PackingPolicy.Fgd(TargetWorkload.WHOLE_DEVICES, false),
        new PackingPolicy.BestFit(),
        new PackingPolicy.FirstFit(),
        new PackingPolicy.Spread());
  }

  private static Inventory cluster(Random random, int nodes) {
    var inventory = new Inventory();
    for (int i = 0; i < nodes; i++) {
      inventory.seen(
          aNode("n" + i)
              .gpus(random.nextInt(9))
              .cpuMillis(1_000L * (4 + random.nextInt(60)))
              .pods(1 + random.nextInt(12))
              .label("rack", "r" + random.nextInt(4))
              .label("zone", "z" + random.nextInt(2))
              .availability(
                  random.nextInt(8) == 0 ? Node.Availability.CORDONED : Node.Availability.READY)
              .build());
      inventory.reserve(
          "used" + i,
          "n" + i,
          aPod("u").gpus(1L + random.nextInt(8)).cpuMillis(500).build().demand().requests());
    }
    return inventory;
  }

  private static Demand member(Random random) {
    var pod = aPod("m").gpus(random.nextInt(5)).cpuMillis(500L * random.nextInt(20));
    if (random.nextInt(4) == 0) {
      pod.selecting("zone", "z" + random.nextInt(2));
    }
    if (random.nextInt(6) == 0) {
      pod.hostPort("TCP", "", 8000 + random.nextInt(2));
    }
    return pod.build().demand();
  }

  private static Topology topology(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> Topology.requiring(LEVELS.get(random.nextInt(2)));
      case 1 -> new Topology(LEVELS, Optional.empty());
      case 2 ->
          new Topology(
              List.of(),
              Optional.of("zone").filter(_ -> random.nextBoolean()),
              List.of(new Segment("rack", 1 + random.nextInt(3))));
      default -> Topology.ANYWHERE;
    };
  }

  private static GangRequest anyRequest(Random random) {
    var parts =
        Stream.generate(
                () -> {
                  var kinds = Stream.generate(() -> member(random)).limit(3).toList();
                  return new GangRequest.Part(
                      Stream.generate(() -> kinds.get(random.nextInt(3)))
                          .limit(1L + random.nextInt(6))
                          .toList(),
                      topology(random));
                })
            .limit(1L + random.nextInt(3))
            .toList();
    return new GangRequest(
        parts, random.nextBoolean() ? Set.of("n" + random.nextInt(4)) : Set.of());
  }

  private static List<Demand> alike(int count, PodBuilder pod) {
    return IntStream.range(0, count).mapToObj(_ -> pod.build().demand()).toList();
  }

  @Property(tries = 1000)
  void placesAllOrNoneAndNeverAboveWhatANodeOffers(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll("policies") PackingPolicy policy) {
    var random = new Random(seed);
    var inventory = cluster(random, nodes);
    var request = anyRequest(random);
    var members = request.members();
    switch (new Planner(policy).decide(inventory.snapshot(), request)) {
      case Verdict.Placed(List<String> places) -> {
        assertThat(places).hasSameSizeAs(members).noneMatch(request.excludedNodes()::contains);
        for (int i = 0; i < places.size(); i++) {
          var room = inventory.room(places.get(i)).orElseThrow();
          assertThat(room.fits(members.get(i))).as("member %d on its node", i).isTrue();
          inventory.occupy("m" + i, places.get(i), members.get(i).requests());
        }
        assertRequiredLevels(inventory, request, places);
      }
      case Verdict.NoRoom noRoom -> {
        assertThat(noRoom.member()).isBetween(0, members.size() - 1);
        assertThat(noRoom.tally()).startsWith("0/%d nodes are available: ".formatted(nodes));
      }
    }
  }

  private static void assertRequiredLevels(
      Inventory inventory, GangRequest request, List<String> places) {
    int from = 0;
    for (var part : request.parts()) {
      var nodes = places.subList(from, from + part.members().size());
      for (var segment : part.topology().segments()) {
        for (int first = 0; first < nodes.size(); first += segment.size()) {
          var whole = nodes.subList(first, Math.min(nodes.size(), first + segment.size()));
          assertThat(
                  whole.stream()
                      .map(name ->
                          inventory.room(name).orElseThrow().node().labels().get(segment.level()))
                      .distinct())
              .as("segment of member %d", first)
              .hasSize(1);
        }
      }
      part.topology()
          .required()
          .ifPresent(level ->
              assertThat(
                      nodes.stream()
                          .map(
                              name -> inventory.room(name).orElseThrow().node().labels().get(level))
                          .distinct())
                  .hasSize(1));
      from += part.members().size();
    }
  }

  @Property(tries = 500)
  void placesAlikeMembersIfAndOnlyIfTheyFit(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll @IntRange(min = 1, max = 30) int members,
      @ForAll @IntRange(min = 1, max = 8) int gpus,
      @ForAll("policies") PackingPolicy policy) {
    var inventory = cluster(new Random(seed), nodes);
    long fits =
        inventory.snapshot().rooms().stream()
            .filter(room -> room.node().isAvailable())
            .mapToLong(room ->
                Math.min(room.node().podLimit() - room.pods(), Math.max(0, room.free(GPU)) / gpus))
            .sum();
    var request = GangRequest.of(alike(members, aPod("m").gpus(gpus)), Set.of());
    switch (new Planner(policy).decide(inventory.snapshot(), request)) {
      case Verdict.Placed(List<String> places) -> {
        assertThat(fits).isGreaterThanOrEqualTo(members);
        assertThat(places).hasSize(members);
      }
      case Verdict.NoRoom noRoom -> {
        assertThat(fits).isLessThan(members);
        assertThat(noRoom.member()).as("as many as fit come before it").isEqualTo((int) fits);
      }
    }
  }

  @Property(tries = 300)
  void givesTheSamePlanForTheSameInput(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll("policies") PackingPolicy policy) {
    var planner = new Planner(policy);
    var request = anyRequest(new Random(seed));
    assertThat(planner.decide(cluster(new Random(seed), nodes).snapshot(), request))
        .isEqualTo(planner.decide(cluster(new Random(seed), nodes).snapshot(), request));
  }

  @Property(tries = 500)
  void neverLosesAPlacementOfAlikeMembersToANodeMore(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll @IntRange(min = 1, max = 12) int members,
      @ForAll("policies") PackingPolicy policy) {
    var random = new Random(seed);
    var inventory = cluster(random, nodes);
    var planner = new Planner(policy);
    var request =
        new GangRequest(
            List.of(new GangRequest.Part(alike(members, aPod("m").gpus(2)), topology(random))),
            Set.of());
    boolean before = planner.decide(inventory.snapshot(), request) instanceof Verdict.Placed;
    inventory.seen(aNode("further").gpus(8).label("rack", "r1").label("zone", "z0").build());
    boolean after = planner.decide(inventory.snapshot(), request) instanceof Verdict.Placed;
    assertThat(after || !before).isTrue();
  }

  @Property(tries = 1000)
  void neverRefusesByTheTotalsWhatItWouldPlace(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll("policies") PackingPolicy policy) {
    var random = new Random(seed);
    var inventory = cluster(random, nodes);
    var request = anyRequest(random);
    var snapshot = inventory.snapshot();
    var placed = new Attempt(policy, snapshot.grid(), request).placed();
    assertThat(snapshot.mayHold(request) || placed.isEmpty()).isTrue();
  }

  /** What the ledger keeps up with each change is what it would be if it were recreated. */
  @Property(tries = 300)
  void restoresTheLedgerExactlyWhenHoldersGo(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int nodes) {
    var random = new Random(seed);
    var inventory = cluster(random, nodes);
    var before = List.copyOf(inventory.snapshot().rooms());
    var members = new ArrayList<Demand>();
    for (int i = 0; i < 20; i++) {
      members.add(member(random));
      var requests = members.get(i).requests();
      var node = "n" + random.nextInt(nodes + 1);
      if (random.nextBoolean()) {
        inventory.occupy("h" + i, node, requests);
      } else {
        inventory.reserve("h" + i, node, requests);
      }
    }
    inventory.gone("n0");
    inventory.seen(before.getFirst().node());
    IntStream.range(0, 20).forEach(i -> inventory.release("h" + i));
    assertThat(List.copyOf(inventory.snapshot().rooms())).isEqualTo(before);
    var anew = cluster(new Random(seed), nodes);
    for (var member : members) {
      var request = GangRequest.of(List.of(member, member), Set.of());
      assertThat(inventory.snapshot().mayHold(request)).isEqualTo(anew.snapshot().mayHold(request));
      var planner = new Planner(PackingPolicy.DEFAULT);
      assertThat(planner.decide(inventory.snapshot(), request))
          .isEqualTo(planner.decide(anew.snapshot(), request));
    }
  }

  /** For whole devices the cluster on paper and the live plan are one. */
  @Property(tries = 200)
  void simulationChoosesTheNodesThatALiveClusterWould(
      @ForAll long seed, @ForAll("policies") PackingPolicy policy) {
    var random = new Random(seed);
    var inventory = new Inventory();
    var machines = new ArrayList<Machine>();
    for (int i = 0; i < 6; i++) {
      var machine =
          new Machine("n" + i, 1_000L * (8 + random.nextInt(60)), 1L << 37, random.nextInt(9), "");
      machines.add(machine);
      inventory.seen(WholeDevices.node(machine));
    }
    var simulated = new SharedCluster(machines, policy);
    var planner = new Planner(policy);
    var kinds = new HashMap<Integer, Demand>();
    for (int i = 0; i < 30; i++) {
      int devices = random.nextInt(4);
      var demand =
          kinds.computeIfAbsent(
              devices, n -> aPod("m").gpus(n).cpuMillis(1_500L * (n + 1)).build().demand());
      var live = planner.decide(inventory.snapshot(), GangRequest.of(List.of(demand), Set.of()));
      var node =
          simulated.place(
              new Ask(
                  demand.requests().cpuMillis(),
                  0,
                  devices,
                  devices == 0 ? 0 : Idle.DEVICE,
                  Set.of()));
      assertThat(live instanceof Verdict.Placed(List<String> nodes) ? nodes : List.of())
          .isEqualTo(node.stream().toList());
      if (node.isPresent()) {
        inventory.occupy("p" + i, node.get(), demand.requests());
      }
    }
  }
}
