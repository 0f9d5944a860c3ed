package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Demand;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class PlannerProperties {

  private final Planner planner = new Planner(PackingPolicy.DEFAULT);

  private static Inventory cluster(Random random, int nodes) {
    var inventory = new Inventory();
    for (int i = 0; i < nodes; i++) {
      inventory.seen(aNode("n" + i).gpus(random.nextInt(9)).build());
      inventory.reserve(
          "used" + i, "n" + i, aPod("u").gpus(1L + random.nextInt(8)).build().demand().requests());
    }
    return inventory;
  }

  private static List<Demand> members(int count, long gpus) {
    return IntStream.range(0, count)
        .mapToObj(i -> aPod("m" + i).gpus(gpus).build().demand())
        .toList();
  }

  @Property(tries = 500)
  void placesAlikeMembersIfAndOnlyIfTheyFit(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll @IntRange(min = 1, max = 30) int members,
      @ForAll @IntRange(min = 1, max = 8) int gpus) {
    var inventory = cluster(new Random(seed), nodes);
    long fits =
        inventory.snapshot().rooms().values().stream()
            .mapToLong(room -> Math.max(0, room.free("nvidia.com/gpu")) / gpus)
            .sum();
    var verdict =
        planner.decide(inventory.snapshot(), GangRequest.of(members(members, gpus), Set.of()));
    switch (verdict) {
      case Verdict.Placed(List<String> places) -> {
        assertThat(fits).isGreaterThanOrEqualTo(members);
        assertThat(places).hasSize(members);
        var taken = new HashMap<String, Long>();
        places.forEach(node -> taken.merge(node, (long) gpus, Long::sum));
        taken.forEach((node, units) ->
            assertThat(units)
                .isLessThanOrEqualTo(inventory.room(node).orElseThrow().free("nvidia.com/gpu")));
      }
      case Verdict.NoRoom noRoom -> {
        assertThat(fits).isLessThan(members);
        assertThat(noRoom.member()).as("as many as fit come before it").isEqualTo((int) fits);
      }
    }
  }

  @Property(tries = 200)
  void givesTheSamePlanForTheSameInput(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int nodes) {
    var request = GangRequest.of(members(5, 2), Set.of());
    assertThat(planner.decide(cluster(new Random(seed), nodes).snapshot(), request))
        .isEqualTo(planner.decide(cluster(new Random(seed), nodes).snapshot(), request));
  }

  @Property(tries = 200)
  void neverLosesAPlacementToANodeMore(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int nodes) {
    var request = GangRequest.of(members(5, 2), Set.of());
    var inventory = cluster(new Random(seed), nodes);
    boolean before = planner.decide(inventory.snapshot(), request) instanceof Verdict.Placed;
    inventory.seen(aNode("further").gpus(8).build());
    boolean after = planner.decide(inventory.snapshot(), request) instanceof Verdict.Placed;
    assertThat(after || !before).isTrue();
  }
}
