package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.fabric.Division;
import io.muster.extender.core.plan.fabric.DomainTree;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One request on one grid: members are placed on trial in some order, and taken back where that
 * does not end well. Not safe for concurrent use.
 */
final class Attempt {

  /** In which order members are tried; the result is in the order of the request all the same. */
  enum Order {
    /** Most devices first, then those that fewest nodes can take. */
    LARGEST_FIRST,
    /** Those that fewest nodes can take first. */
    RAREST_FIRST,
    /** As they come. */
    AS_GIVEN
  }

  /** Members that are placed under one topology; all that may be anywhere are one unit. */
  private static final class Unit {
    private final int[] members;
    private final Topology topology;

    Unit(int[] members, Topology topology) {
      this.members = members;
      this.topology = topology;
    }
  }

  private final PackingPolicy policy;
  private final Grid grid;
  private final Trial trial;
  private final Need[] needs;
  private final List<Need> kinds;
  private final List<Unit> units;
  private final int[] everywhere;
  private final int[] places;
  private final Map<Need, Integer> takers = new HashMap<>();

  /** The first member that found no place when a unit was last placed, and the unit. */
  private int missed;

  private Unit missedIn;

  Attempt(PackingPolicy policy, Grid grid, GangRequest request) {
    this.policy = policy;
    this.grid = grid;
    var members = request.members();
    trial = new Trial(grid.size(), request.resources());
    needs = new Need[members.size()];
    places = new int[members.size()];
    kinds = compile(members, excluded(request), kept(request));
    units = units(request);
    everywhere = IntStream.range(0, grid.size()).toArray();
  }

  private Set<Integer> excluded(GangRequest request) {
    return request.excludedNodes().stream()
        .map(grid::slot)
        .filter(slot -> slot >= 0)
        .collect(Collectors.toUnmodifiableSet());
  }

  private BitSet kept(GangRequest request) {
    return request.mayUseKept() ? new BitSet() : grid.fabric().kept(grid);
  }

  private List<Need> compile(List<Demand> members, Set<Integer> excluded, BitSet kept) {
    var known = new IdentityHashMap<Demand, Need>();
    var equal = new HashMap<Demand, Need>();
    var kinds = new ArrayList<Need>();
    for (int i = 0; i < needs.length; i++) {
      needs[i] =
          known.computeIfAbsent(
              members.get(i),
              demand ->
                  equal.computeIfAbsent(
                      demand,
                      _ -> {
                        var need = new Need(demand, grid, trial, excluded, kept);
                        kinds.add(need);
                        return need;
                      }));
    }
    return kinds;
  }

  /** Units that must be close first, then those that had better be, then the rest. */
  private List<Unit> units(GangRequest request) {
    var units = new ArrayList<Unit>();
    var anywhere = IntStream.builder();
    int from = 0;
    for (var part : request.parts()) {
      int to = from + part.members().size();
      var topology = grid.fabric().levels().known(part.topology());
      if (topology.isAnywhere()) {
        IntStream.range(from, to).forEach(anywhere);
      } else {
        units.add(new Unit(IntStream.range(from, to).toArray(), topology));
      }
      from = to;
    }
    units.sort(Comparator.comparing(unit -> !unit.topology.binds()));
    units.add(new Unit(anywhere.build().toArray(), Topology.ANYWHERE));
    return units;
  }

  /** The node of each member, or empty, with nothing left on trial. */
  Optional<List<String>> placed() {
    var tried = new ArrayList<int[]>();
    for (var order : kinds.size() == 1 ? List.of(Order.AS_GIVEN) : List.of(Order.values())) {
      var ranks = ranks(order);
      var sequence = sequence(IntStream.range(0, needs.length).toArray(), ranks);
      if (tried.stream().noneMatch(before -> Arrays.equals(before, sequence))) {
        tried.add(sequence);
        if (placeAll(ranks)) {
          units.stream()
              .filter(unit ->
                  unit.topology.segments().isEmpty()
                      && (unit.topology.isAnywhere() || !areAlike(unit.members)))
              .forEach(unit -> putInOrder(unit.members));
          return Optional.of(Arrays.stream(places).mapToObj(grid::name).toList());
        }
        trial.rollback(0);
      }
    }
    return Optional.empty();
  }

  /** Why not, for the first member without a place when they are taken as given. */
  Verdict.NoRoom refusal() {
    if (placeAll(Map.of())) {
      throw new IllegalStateException("the inventory has changed since no place was found");
    }
    var unit = missedIn;
    if (unit.topology.binds()) {
      var lack = "0/%d nodes are available: %s.".formatted(grid.size(), lack(unit).evidence());
      if (place(unit.members, everywhere, Map.of())) {
        return new Verdict.NoRoom(unit.members[0], lack);
      }
    }
    return new Verdict.NoRoom(missed, needs[missed].tally());
  }

  /** What the levels lack where members find no place for their topology. */
  Optional<Shortage> lack() {
    return placeAll(Map.of()) || !missedIn.topology.binds()
        ? Optional.empty()
        : Optional.of(lack(missedIn));
  }

  private Shortage lack(Unit unit) {
    var nest = Nest.of(unit.topology, grid.fabric().levels(), unit.members.length);
    var unknown = nest.unknown(grid.fabric());
    if (unknown.isPresent()) {
      return unknown.get();
    }
    if (!areAlike(unit.members)) {
      return new Shortage(Lack.ofKinds(unit.topology, grid.fabric().levels(), unit.members.length));
    }
    var tree = grid.fabric().tree(nest.labels(), nest.bound());
    var division = new Division(tree, nest.sizes(), capacity(unit), unit.members.length);
    return new Shortage(new Lack(nest, tree, division, unit.members.length).shown(grid));
  }

  private int[] capacity(Unit unit) {
    var need = needs[unit.members[0]];
    return IntStream.of(everywhere).map(slot -> need.capacity(slot, unit.members.length)).toArray();
  }

  private boolean placeAll(Map<Need, Integer> ranks) {
    for (var unit : units) {
      if (!place(unit, ranks)) {
        missedIn = unit;
        return false;
      }
    }
    return true;
  }

  private boolean place(Unit unit, Map<Need, Integer> ranks) {
    var topology = unit.topology;
    if (!topology.isAnywhere() && areAlike(unit.members)) {
      return divide(unit, ranks);
    }
    if (!topology.segments().isEmpty()) {
      var nest = Nest.of(topology, grid.fabric().levels(), unit.members.length);
      return placeSegments(nest, 0, unit.members, everywhere, ranks);
    }
    if (!topology.isAnywhere()) {
      var members = IntStream.of(unit.members).mapToObj(i -> needs[i]).toList();
      var domains = new Domains(grid, policy);
      var levels = grid.fabric().levels();
      var required = topology.required().map(levels::labelOf);
      for (var level : topology.preferred()) {
        if (placeInOneOf(domains.of(levels.labelOf(level), required, members), unit, ranks)) {
          return true;
        }
      }
      if (required.isPresent()) {
        return placeInOneOf(domains.of(required.get(), Optional.empty(), members), unit, ranks);
      }
    }
    return place(unit.members, everywhere, ranks);
  }

  /**
   * Members of several kinds: each segment in turn goes to the first domain that holds it. Levels
   * that are only preferred are left out.
   */
  private boolean placeSegments(
      Nest nest, int depth, int[] members, int[] within, Map<Need, Integer> ranks) {
    if (depth == nest.sizes().length) {
      boolean isPlaced = place(members, within, ranks);
      if (isPlaced) {
        putInOrder(members);
      }
      return isPlaced;
    }
    if (!nest.bound()[depth]) {
      return placeSegments(nest, depth + 1, members, within, ranks);
    }
    int size = nest.sizes()[depth];
    for (int from = 0; from < members.length; from += size) {
      var segment = Arrays.copyOfRange(members, from, Math.min(members.length, from + size));
      var kinds = IntStream.of(segment).mapToObj(i -> needs[i]).toList();
      int mark = trial.mark();
      boolean isPlaced = false;
      for (var domain :
          new Domains(grid, policy).of(nest.labels().get(depth), Optional.empty(), kinds, within)) {
        isPlaced = placeSegments(nest, depth + 1, segment, domain, ranks);
        if (isPlaced) {
          break;
        }
        trial.rollback(mark);
      }
      if (!isPlaced) {
        missed = segment[0];
        return false;
      }
    }
    return true;
  }

  private boolean areAlike(int[] members) {
    return IntStream.of(members).allMatch(member -> needs[member] == needs[members[0]]);
  }

  /** Finds domains by counting; where some can do without a label, others come first. */
  private boolean divide(Unit unit, Map<Need, Integer> ranks) {
    var nest = Nest.of(unit.topology, grid.fabric().levels(), unit.members.length);
    int[] capacity = capacity(unit);
    boolean areAllBound = Arrays.equals(nest.bound(), nest.allBound());
    var trees = areAllBound ? List.of(nest.bound()) : List.of(nest.allBound(), nest.bound());
    for (var strict : trees) {
      var tree = grid.fabric().tree(nest.labels(), strict);
      var ranges = new Division(tree, nest.sizes(), capacity, unit.members.length).find();
      if (ranges.isPresent()) {
        place(unit, tree, ranges.get(), ranks);
        return true;
      }
    }
    missed = unit.members[0];
    return false;
  }

  private void place(
      Unit unit, DomainTree tree, List<Division.Range> ranges, Map<Need, Integer> ranks) {
    int from = 0;
    for (var range : ranges) {
      var members = Arrays.copyOfRange(unit.members, from, from + range.members());
      from += range.members();
      var slots = tree.slots(tree.depths() - 1, range.domain());
      Arrays.sort(slots);
      if (!place(members, slots, ranks)) {
        throw new IllegalStateException("a domain holds less than was counted");
      }
      putInOrder(members);
    }
  }

  /** Members that are alike meet their nodes in the order of the network. */
  private void putInOrder(int[] members) {
    var ofKind = new IdentityHashMap<Need, IntStream.Builder>();
    for (int member : members) {
      ofKind.computeIfAbsent(needs[member], _ -> IntStream.builder()).add(member);
    }
    for (var builder : ofKind.values()) {
      var alike = builder.build().toArray();
      var slots = IntStream.of(alike).map(member -> places[member]).toArray();
      grid.fabric().sort(slots);
      for (int i = 0; i < alike.length; i++) {
        places[alike[i]] = slots[i];
      }
    }
  }

  private boolean placeInOneOf(List<int[]> domains, Unit unit, Map<Need, Integer> ranks) {
    int mark = trial.mark();
    for (var domain : domains) {
      if (place(unit.members, domain, ranks)) {
        return true;
      }
      trial.rollback(mark);
    }
    return false;
  }

  private boolean place(int[] members, int[] within, Map<Need, Integer> ranks) {
    var rankings = new HashMap<Need, Ranking>();
    for (int member : sequence(members, ranks)) {
      var need = needs[member];
      int slot = rankings.computeIfAbsent(need, n -> ranking(n, within)).best();
      if (slot == Ranking.NONE) {
        missed = member;
        return false;
      }
      trial.place(slot, need);
      places[member] = slot;
    }
    return true;
  }

  private Ranking ranking(Need need, int[] within) {
    var slots =
        need.named()
            .map(named ->
                IntStream.of(named).filter(s -> Arrays.binarySearch(within, s) >= 0).toArray())
            .orElse(within);
    return new Ranking(need, trial, policy, slots, grid.fabric());
  }

  /** Members by the rank of their kind, otherwise in the order given. */
  private int[] sequence(int[] members, Map<Need, Integer> ranks) {
    return ranks.isEmpty()
        ? members
        : IntStream.of(members)
            .boxed()
            .sorted(Comparator.comparing(member -> ranks.get(needs[member])))
            .mapToInt(Integer::intValue)
            .toArray();
  }

  /** The place of each kind in the order; empty where members go as given. */
  private Map<Need, Integer> ranks(Order order) {
    Comparator<Need> devices = Comparator.comparingLong(Need::devices).reversed();
    Comparator<Need> rare = Comparator.comparingInt(this::takers);
    var size =
        Comparator.comparingLong(Need::cpuMillis).thenComparingLong(Need::memoryBytes).reversed();
    var by =
        switch (order) {
          case LARGEST_FIRST -> devices.thenComparing(rare).thenComparing(size);
          case RAREST_FIRST -> rare.thenComparing(devices).thenComparing(size);
          case AS_GIVEN -> null;
        };
    var ranks = new HashMap<Need, Integer>();
    if (by != null) {
      var sorted = new ArrayList<>(kinds);
      sorted.sort(by);
      for (int i = 0; i < sorted.size(); i++) {
        ranks.put(sorted.get(i), i);
      }
    }
    return ranks;
  }

  /** How many nodes can take a member of this kind, before any of the request is placed. */
  private int takers(Need need) {
    return takers.computeIfAbsent(
        need, n -> (int) IntStream.of(n.named().orElse(everywhere)).filter(n::fits).count());
  }
}
