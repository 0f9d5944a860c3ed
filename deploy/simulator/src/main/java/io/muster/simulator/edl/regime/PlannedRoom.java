package io.muster.simulator.edl.regime;

import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Paper;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes of the replay as Muster's planner sees them: its ledger holds every pod that has a
 * node. Confined to one thread.
 */
public final class PlannedRoom implements CapacityOracle {

  private static final String GPU = "nvidia.com/gpu";
  private static final int PODS = 110;

  private final World world;
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final Inventory inventory = new Inventory();
  private final Map<String, EdlMachine> machines = new HashMap<>();
  private final Map<String, ReplayPod> known = new HashMap<>();
  private final Map<List<Integer>, Demand> demands = new HashMap<>();

  PlannedRoom(World world) {
    this.world = world;
    for (var machine : world.machines) {
      machines.put(machine.name, machine);
      inventory.seen(
          new Node(
              machine.name,
              Map.of(),
              List.of(),
              Node.Availability.READY,
              resources(machine.cpuMillis, machine.gpus),
              PODS));
      inventory.occupy("system#" + machine.name, machine.name, resources(machine.systemCpu, 0));
    }
  }

  private static Resources resources(long cpuMillis, long gpus) {
    return new Resources(cpuMillis, 0, gpus == 0 ? Map.of() : Map.of(GPU, gpus));
  }

  /** Takes in what has changed in the world since it was last called. */
  void catchUp() {
    var there = new HashMap<String, ReplayPod>();
    world.pods().forEach(pod -> there.put(pod.uid(), pod));
    known.keySet().stream().filter(uid -> !there.containsKey(uid)).forEach(inventory::release);
    known.clear();
    known.putAll(there);
    there.forEach((uid, pod) ->
        pod.machine.ifPresent(
            machine -> inventory.occupy(uid, machine.name, demand(pod).requests())));
  }

  /** Nodes for all of these, or none. */
  Optional<List<EdlMachine>> placesOf(List<ReplayPod> pods) {
    var demands = pods.stream().map(this::demand).toList();
    return Paper.ask(
            planner, inventory, List.of(), paper -> paper.place(GangRequest.of(demands, Set.of())))
        .map(nodes -> nodes.stream().map(machines::get).toList());
  }

  private Demand demand(ReplayPod pod) {
    return demands.computeIfAbsent(
        List.of(pod.cpuMillis, pod.gpus),
        _ -> new Demand(resources(pod.cpuMillis, pod.gpus), Map.of(), List.of(), List.of()));
  }

  private List<Demand> demands(Wish wish) {
    return switch (wish) {
      case Wish.OfGang(String gang) -> gang(gang).map(this::demand).toList();
      case Wish.Like(var uids) -> uids.stream().map(known::get).map(this::demand).toList();
      case Wish.At(var uids, var _) -> uids.stream().map(known::get).map(this::demand).toList();
    };
  }

  private java.util.stream.Stream<ReplayPod> gang(String key) {
    return world.jobs.stream().filter(job -> job.key().equals(key)).flatMap(JobRun::pods);
  }

  @Override
  public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
    return Paper.ask(
        planner,
        inventory,
        gone,
        paper -> {
          var places = new ArrayList<Optional<List<String>>>();
          for (var wish : wishes) {
            var demands = demands(wish);
            if (wish instanceof Wish.At(var _, var nodes)) {
              for (int i = 0; i < nodes.size(); i++) {
                paper.take(demands.get(i), nodes.get(i));
              }
              places.add(Optional.of(nodes));
            } else {
              places.add(paper.place(GangRequest.of(demands, Set.of())));
            }
          }
          return places;
        });
  }

  @Override
  public boolean couldUse(Wish wish, String node) {
    return demands(wish).stream().anyMatch(demand -> inventory.isOpenTo(node, demand));
  }

  @Override
  public Amounts asks(String podUid) {
    var pod = known.get(podUid);
    return new Amounts(pod.cpuMillis, 0, pod.gpus);
  }

  @Override
  public Amounts offered() {
    return new Amounts(
        machines.values().stream().mapToLong(machine -> machine.cpuMillis).sum(),
        0,
        machines.values().stream().mapToLong(machine -> machine.gpus).sum());
  }

  @Override
  public Amounts asked() {
    throw new UnsupportedOperationException("not asked for where whole gangs come first");
  }

  @Override
  public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
    return inventory.asIfGone(
        gone,
        () -> {
          var sites = new HashMap<String, Site>();
          for (var uid : podUids) {
            Optional.ofNullable(known.get(uid))
                .flatMap(pod -> pod.machine)
                .flatMap(machine -> inventory.room(machine.name))
                .ifPresent(room ->
                    sites.put(
                        uid, new Site(room.node().name(), room.space(demand(known.get(uid))))));
          }
          return sites;
        });
  }
}
