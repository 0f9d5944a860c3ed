package io.muster.extender.core.decision.scheduling;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.RunningUnits.Kept;
import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Beside trying one after the other. */
final class DeparturesTest {

  private static final int NODES_A_RACK = 4;
  private static final Resources DEVICE = new Resources(0, 0, Map.of("nvidia.com/gpu", 1L));
  private static final Topology RACK = Topology.requiring("rack");
  private static final Topology PAIRS =
      Topology.ANYWHERE.inSegments(new Topology.Segment("rack", 2));

  private final Inventory inventory = new Inventory();
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final List<Unit> units = new ArrayList<>();

  private static Unit unit(String name, List<String> holders) {
    return new Unit(
        name,
        Optional.empty(),
        List.of(),
        new Kept(holders, holders.size()),
        0,
        Instant.EPOCH,
        Optional.empty(),
        "default",
        true,
        false);
  }

  private void fill(Random random) {
    int racks = 2 + random.nextInt(5);
    var places = new ArrayList<String>();
    for (int node = 0; node < racks * NODES_A_RACK; node++) {
      var name = "n%02d".formatted(node);
      inventory.seen(aNode(name).gpus(2).label("rack", "r" + node / NODES_A_RACK).build());
      places.add(name);
      places.add(name);
    }
    Collections.shuffle(places, random);
    while (places.size() > racks) {
      var holders = new ArrayList<String>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        var holder = "h" + places.size();
        inventory.occupy(holder, places.removeLast(), DEVICE);
        holders.add(holder);
      }
      units.add(unit("u" + units.size(), holders));
    }
  }

  private Optional<List<String>> place(int members, Topology topology) {
    var part =
        new GangRequest.Part(
            Collections.nCopies(members, new Demand(DEVICE, Map.of(), List.of(), List.of())),
            topology);
    return planner.decide(inventory.snapshot(), new GangRequest(List.of(part), Set.of(), false))
            instanceof Verdict.Placed(var nodes)
        ? Optional.of(nodes)
        : Optional.empty();
  }

  private boolean wouldDo(List<Unit> gone, int members, Topology topology) {
    var holders = gone.stream().flatMap(unit -> unit.holders().stream()).toList();
    return inventory.asIfGone(holders, () -> place(members, topology).isPresent());
  }

  /** As few of the first as will do, and then those spared that need not go, the last first. */
  private Optional<List<Unit>> oneByOne(int members, Topology topology) {
    for (int count = 0; count <= units.size(); count++) {
      if (wouldDo(units.subList(0, count), members, topology)) {
        var left = new ArrayList<>(units.subList(0, count));
        for (int i = count - 1; i >= 0; i--) {
          var others = new ArrayList<>(left);
          others.remove(i);
          if (wouldDo(others, members, topology)) {
            left = others;
          }
        }
        return Optional.of(left);
      }
    }
    return Optional.empty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rack", "pairs", "anywhere"})
  void theSameGoAsIfEachWereTriedAlone(String closeness) {
    var topology =
        switch (closeness) {
          case "rack" -> RACK;
          case "pairs" -> PAIRS;
          default -> Topology.ANYWHERE;
        };
    for (int seed = 0; seed < 200; seed++) {
      var test = new DeparturesTest();
      test.check(new Random(seed), topology);
    }
  }

  private void check(Random random, Topology topology) {
    fill(random);
    int members = 1 + random.nextInt(9);
    var expected = oneByOne(members, topology);
    var rooms = List.copyOf(inventory.snapshot().rooms());
    var search = Departures.needed(units);
    while (!search.isOver()) {
      int plans = 1 + random.nextInt(4);
      search.advance(inventory, List.of(), () -> place(members, topology), plans);
      assertThat(inventory.snapshot().rooms()).containsExactlyElementsOf(rooms);
    }
    var found = search.found();
    assertThat(found.map(Departures.Found::gone)).isEqualTo(expected);
    found.ifPresent(some -> {
      var holders = some.gone().stream().flatMap(unit -> unit.holders().stream()).toList();
      assertThat(some.nodes()).hasSize(members);
      inventory.asIfGone(
          holders,
          () -> {
            for (int i = 0; i < members; i++) {
              assertThat(inventory.reserve("new" + i, some.nodes().get(i), DEVICE)).isTrue();
            }
            for (int i = 0; i < members; i++) {
              inventory.setAside("new" + i);
            }
            return true;
          });
    });
  }
}
