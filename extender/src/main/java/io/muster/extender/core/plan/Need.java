package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.plan.packing.Idle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A demand made ready for a walk over the nodes of one grid, beside the members placed on trial.
 * Not safe for concurrent use.
 */
final class Need {

  private static final int NO_DEVICE = -1;

  private final Demand demand;
  private final Grid grid;
  private final Trial trial;
  private final Set<Integer> excluded;
  private final BitSet kept;
  private final boolean isAnyKept;
  private final long cpuMillis;
  private final long memoryBytes;
  private final String[] names;
  private final long[] amounts;
  private final long[][] columns;
  private final int[] resources;
  private final int device;
  private final long devices;
  private final boolean[] closed;
  private final boolean[] repels;
  private final boolean selects;
  private final boolean hasVolumes;
  private final boolean hasPorts;
  private final boolean hasPreference;

  Need(Demand demand, Grid grid, Trial trial, Set<Integer> excluded, BitSet kept) {
    this.demand = demand;
    this.grid = grid;
    this.trial = trial;
    this.excluded = excluded;
    this.kept = kept;
    isAnyKept = !kept.isEmpty();
    var requests = demand.requests();
    cpuMillis = requests.cpuMillis();
    memoryBytes = requests.memoryBytes();
    names =
        requests.extended().keySet().stream()
            .filter(name -> requests.of(name) > 0)
            .sorted()
            .toArray(String[]::new);
    amounts = Arrays.stream(names).mapToLong(requests::of).toArray();
    columns = Arrays.stream(names).map(grid::units).toArray(long[][]::new);
    resources = Arrays.stream(names).mapToInt(trial::resource).toArray();
    device =
        Accelerators.first(requests)
            .map(name -> Arrays.binarySearch(names, name))
            .orElse(NO_DEVICE);
    devices = device == NO_DEVICE ? 0 : amounts[device];
    var examples = grid.entranceExamples();
    closed = new boolean[examples.size()];
    repels = new boolean[examples.size()];
    for (int i = 0; i < closed.length; i++) {
      closed[i] = NodeState.closed(examples.get(i), demand).isPresent();
      repels[i] = NodeState.repels(examples.get(i), demand);
    }
    selects = !demand.nodeSelector().isEmpty() || !demand.anyOfTerms().isEmpty();
    hasVolumes = !demand.volumes().isEmpty();
    hasPorts = !requests.hostPorts().isEmpty();
    hasPreference = !demand.preferred().isEmpty();
  }

  long cpuMillis() {
    return cpuMillis;
  }

  long memoryBytes() {
    return memoryBytes;
  }

  long devices() {
    return devices;
  }

  boolean hasPorts() {
    return hasPorts;
  }

  Resources requests() {
    return demand.requests();
  }

  void addUnits(long[] units, int sign) {
    for (int i = 0; i < amounts.length; i++) {
      units[resources[i]] += sign * amounts[i];
    }
  }

  /** Names of the resources asked for. */
  String[] names() {
    return names;
  }

  /** Units asked for, as the names are ordered. */
  long[] amounts() {
    return amounts;
  }

  /** The only nodes that the demand's affinity can mean, in order; empty if it names none. */
  Optional<int[]> named() {
    var terms = demand.anyOfTerms();
    if (terms.isEmpty() || terms.stream().anyMatch(term -> term.onlyNode().isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        terms.stream()
            .mapToInt(term -> grid.slot(term.onlyNode().orElseThrow()))
            .filter(slot -> slot >= 0)
            .sorted()
            .distinct()
            .toArray());
  }

  /** Whether the node can take one more member of this kind beside those on trial. */
  boolean fits(int slot) {
    return hasRoom(slot)
        && !closed[grid.entrance(slot)]
        && (excluded.isEmpty() || !excluded.contains(slot))
        && (!isAnyKept || !kept.get(slot))
        && (!selects || grid.room(slot).suits(demand))
        && (!hasVolumes || grid.room(slot).hasVolumes(demand))
        && (!hasPorts || collision(slot).isEmpty());
  }

  /** How many members of this kind the node can take beside those on trial; at most so many. */
  int capacity(int slot, int most) {
    if (!fits(slot)) {
      return 0;
    }
    long fit = hasPorts ? 1 : Math.min(most, grid.pods(slot) - trial.pods(slot));
    for (int i = 0; i < amounts.length; i++) {
      fit = Math.min(fit, free(i, slot) / amounts[i]);
    }
    if (cpuMillis > 0) {
      fit = Math.min(fit, freeCpu(slot) / cpuMillis);
    }
    if (memoryBytes > 0) {
      fit = Math.min(fit, (grid.memoryBytes(slot) - trial.memoryBytes(slot)) / memoryBytes);
    }
    return (int) fit;
  }

  /** Whether it is one of the nodes that members of this kind would rather have. */
  boolean prefers(int slot) {
    return !repels[grid.entrance(slot)] && (!hasPreference || grid.room(slot).pleases(demand));
  }

  /** What is idle there, as far as packing reads it. */
  Idle idle(int slot) {
    return Idle.whole(freeCpu(slot), freeDevices(slot));
  }

  /** The same with one more member of this kind there. */
  Idle idleAfter(int slot) {
    return Idle.whole(freeCpu(slot) - cpuMillis, freeDevices(slot) - devices);
  }

  private long freeCpu(int slot) {
    return grid.cpuMillis(slot) - trial.cpuMillis(slot);
  }

  private long freeDevices(int slot) {
    if (device == NO_DEVICE) {
      return grid.devices(slot) - trial.devices(slot);
    }
    return free(device, slot);
  }

  private long free(int i, int slot) {
    long free = columns[i].length == 0 ? 0 : columns[i][slot];
    return free - trial.units(slot, resources[i]);
  }

  private boolean hasRoom(int slot) {
    for (int i = 0; i < amounts.length; i++) {
      if (amounts[i] > free(i, slot)) {
        return false;
      }
    }
    return hasPodLeft(slot) && hasCpu(slot) && hasMemory(slot);
  }

  private boolean hasPodLeft(int slot) {
    return grid.pods(slot) - trial.pods(slot) > 0;
  }

  private boolean hasCpu(int slot) {
    return cpuMillis == 0 || cpuMillis <= freeCpu(slot);
  }

  private boolean hasMemory(int slot) {
    return memoryBytes == 0 || memoryBytes <= grid.memoryBytes(slot) - trial.memoryBytes(slot);
  }

  /** What the node cannot give to one more member of this kind, since another pod has it. */
  private Optional<HostPort> collision(int slot) {
    var asked = demand.requests();
    return hasPorts
        ? asked.collision(grid.room(slot).used()).or(() -> trial.collision(slot, asked))
        : Optional.empty();
  }

  /** Why no node takes one more member of this kind, in kube-scheduler's form. */
  String tally() {
    int total = grid.size();
    if (total == 0) {
      return "0/0 nodes are available: the cluster has no nodes.";
    }
    var closedBy = new int[closed.length];
    var shortOf = new int[names.length];
    int pods = 0;
    int cpu = 0;
    int memory = 0;
    int ports = 0;
    int notAlone = 0;
    int unsuitable = 0;
    int withoutVolume = 0;
    int failed = 0;
    int reserved = 0;
    for (int slot = 0; slot < total; slot++) {
      if (excluded.contains(slot)) {
        failed++;
      } else if (kept.get(slot)) {
        reserved++;
      } else if (closed[grid.entrance(slot)]) {
        closedBy[grid.entrance(slot)]++;
      } else if (selects && !grid.room(slot).suits(demand)) {
        unsuitable++;
      } else if (hasVolumes && !grid.room(slot).hasVolumes(demand)) {
        withoutVolume++;
      } else {
        pods += hasPodLeft(slot) ? 0 : 1;
        cpu += hasCpu(slot) ? 0 : 1;
        memory += hasMemory(slot) ? 0 : 1;
        var collision = collision(slot);
        ports += collision.filter(HostPort::isPort).isPresent() ? 1 : 0;
        notAlone += collision.filter(taken -> !taken.isPort()).isPresent() ? 1 : 0;
        for (int i = 0; i < names.length; i++) {
          shortOf[i] += amounts[i] > free(i, slot) ? 1 : 0;
        }
      }
    }
    var counts = new TreeMap<String, Integer>();
    counts.put("node(s) failed this gang a moment ago", failed);
    counts.put("node(s) are kept in reserve", reserved);
    counts.put(NodeState.UNSUITABLE, unsuitable);
    counts.put(NodeState.NO_VOLUME, withoutVolume);
    counts.put(NodeState.NO_POD, pods);
    counts.put(NodeState.shortOf("cpu"), cpu);
    counts.put(NodeState.shortOf("memory"), memory);
    counts.put(NodeState.NO_PORT, ports);
    counts.put(NodeState.NOT_ALONE, notAlone);
    for (int i = 0; i < names.length; i++) {
      counts.put(NodeState.shortOf(names[i]), shortOf[i]);
    }
    for (int i = 0; i < closed.length; i++) {
      if (closedBy[i] > 0) {
        var why = NodeState.closed(grid.entranceExamples().get(i), demand).orElseThrow();
        counts.merge(why, closedBy[i], Integer::sum);
      }
    }
    return sentence(total, counts);
  }

  private static String sentence(int total, Map<String, Integer> counts) {
    var reasons =
        counts.entrySet().stream()
            .filter(e -> e.getValue() > 0)
            .map(e -> e.getValue() + " " + e.getKey())
            .sorted()
            .toList();
    return "0/%d nodes are available: %s.".formatted(total, String.join(", ", reasons));
  }
}
