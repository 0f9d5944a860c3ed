package io.muster.extender.bench;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.WholeDevices;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.extender.core.plan.packing.SharedCluster.Ask;
import io.muster.extender.core.plan.packing.SharedCluster.Machine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Gangs on whole devices, decided as on a live cluster. The trace knows no gangs: members are pods
 * of it that ask for whole devices, and a gang is 1 to 32 of one shape. This is a made-up workload,
 * not a property of the trace.
 */
final class GangInflation {

  private static final List<Integer> SIZES = List.of(1, 1, 1, 2, 2, 4, 4, 8, 16, 32);

  private final List<Machine> machines;
  private final List<Demand> shapes;
  private final long devices;

  GangInflation(List<Machine> machines, List<Openb.NamedAsk> pods) {
    this.machines = machines;
    shapes =
        pods.stream()
            .map(Openb.NamedAsk::ask)
            .filter(ask -> ask.devices() > 0 && ask.share() == 1000 && ask.models().isEmpty())
            .map(GangInflation::demand)
            .toList();
    devices = machines.stream().mapToLong(Machine::devices).sum();
  }

  private static Demand demand(Ask ask) {
    return new Demand(WholeDevices.asked(ask), Map.of(), List.of(), List.of());
  }

  private Inventory cluster() {
    var inventory = new Inventory();
    machines.forEach(machine -> inventory.seen(WholeDevices.node(machine)));
    return inventory;
  }

  private List<Demand> gang(Random random) {
    return Collections.nCopies(
        SIZES.get(random.nextInt(SIZES.size())), shapes.get(random.nextInt(shapes.size())));
  }

  private static long devices(List<Demand> gang) {
    return gang.size() * gang.getFirst().requests().of(WholeDevices.GPU);
  }

  private static boolean start(
      Inventory inventory, Planner planner, List<Demand> gang, String name) {
    if (!(planner.decide(inventory.snapshot(), GangRequest.of(gang, Set.of()))
        instanceof Verdict.Placed(List<String> nodes))) {
      return false;
    }
    for (int i = 0; i < nodes.size(); i++) {
      inventory.occupy(name + "-" + i, nodes.get(i), gang.get(i).requests());
    }
    return true;
  }

  /** Percent of the devices held after gangs for 130 % of them came, and none left. */
  double inflated(PackingPolicy policy, long seed) {
    var random = new Random(seed);
    var inventory = cluster();
    var planner = new Planner(policy);
    long asked = 0;
    long held = 0;
    for (int n = 0; asked < devices * 13 / 10; n++) {
      var gang = gang(random);
      asked += devices(gang);
      held += start(inventory, planner, gang, "g" + n) ? devices(gang) : 0;
    }
    return 100.0 * held / devices;
  }

  /** Mean percent of the devices held while a running gang ends whenever one finds no room. */
  double churned(PackingPolicy policy, long seed, int gangs) {
    var random = new Random(seed);
    var ends = new Random(seed);
    var inventory = cluster();
    var planner = new Planner(policy);
    var running = new ArrayList<Running>();
    long held = 0;
    long sum = 0;
    int counted = 0;
    for (int n = 0; n < gangs; n++) {
      var gang = gang(random);
      while (!start(inventory, planner, gang, "g" + n)) {
        sum += n < gangs / 4 ? 0 : held;
        counted += n < gangs / 4 ? 0 : 1;
        var ended = running.remove(ends.nextInt(running.size()));
        for (int i = 0; i < ended.members(); i++) {
          inventory.release(ended.name() + "-" + i);
        }
        held -= ended.devices();
      }
      running.add(new Running("g" + n, gang.size(), devices(gang)));
      held += devices(gang);
    }
    return 100.0 * sum / counted / devices;
  }

  private record Running(String name, int members, long devices) {}
}
