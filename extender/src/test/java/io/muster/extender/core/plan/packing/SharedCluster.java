package io.muster.extender.core.plan.packing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A cluster on paper whose devices may be shared, to compare packing policies: single pods come,
 * one by one, and stay. On a live cluster devices are whole and {@code Planner} decides; for whole
 * devices both choose the same node. Nodes are tried in the given order where they score alike. Not
 * safe for concurrent use.
 */
public final class SharedCluster {

  private static final int UNKNOWN = -2;
  private static final int NO_ROOM = -1;

  /** A node and what it offers. */
  public record Machine(String name, long cpuMillis, long memoryBytes, int devices, String model) {}

  /**
   * A pod.
   *
   * @param share thousandths of each of its devices; below 1000 only for a single one
   * @param models kinds of device it may use; empty for any
   */
  public record Ask(long cpuMillis, long memoryBytes, int devices, int share, Set<String> models) {
    public Ask {
      models = Set.copyOf(models);
      if (devices > 1 && share < Idle.DEVICE) {
        throw new IllegalArgumentException(
            "a share of %d of %d devices: only one device is shared".formatted(share, devices));
      }
    }

    /** Its shape, for a {@link TargetWorkload}. */
    public TargetWorkload.Shape shape() {
      return new TargetWorkload.Shape(cpuMillis, devices, devices == 0 ? 0 : share, models);
    }

    private boolean isShare() {
      return devices == 1 && share < Idle.DEVICE;
    }
  }

  private static final class State {
    private final Machine machine;
    private final int[] idle;
    private long cpuMillis;
    private long memoryBytes;

    State(Machine machine) {
      this.machine = machine;
      cpuMillis = machine.cpuMillis();
      memoryBytes = machine.memoryBytes();
      idle = new int[machine.devices()];
      Arrays.fill(idle, Idle.DEVICE);
    }

    Idle idle() {
      return Idle.shared(cpuMillis, idle, machine.model());
    }
  }

  private final PackingPolicy policy;
  private final List<State> states;

  /** Scores of a pod on every node, as they were last computed. */
  private final Map<Ask, long[]> scores = new HashMap<>();

  private long allocated;

  /**
   * The shapes that make up most of these pods: the most frequent ones, until they reach so many
   * percent of all.
   */
  public static TargetWorkload typical(List<TargetWorkload.Shape> pods, int percent) {
    var counts = new LinkedHashMap<TargetWorkload.Shape, Long>();
    pods.forEach(shape -> counts.merge(shape, 1L, Long::sum));
    var byCount = new ArrayList<>(counts.entrySet());
    byCount.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
    var kept = new HashMap<TargetWorkload.Shape, Long>();
    long reached = 0;
    for (var entry : byCount) {
      if (reached * 100 >= (long) pods.size() * percent) {
        break;
      }
      kept.put(entry.getKey(), entry.getValue());
      reached += entry.getValue();
    }
    return TargetWorkload.of(kept);
  }

  public SharedCluster(List<Machine> machines, PackingPolicy policy) {
    this.policy = policy;
    states = machines.stream().map(State::new).toList();
  }

  /** Gives the pod a node, if one can take it, and says which. */
  public Optional<String> place(Ask ask) {
    var known = scores.computeIfAbsent(ask, _ -> unknown());
    int best = NO_ROOM;
    for (int i = 0; i < known.length; i++) {
      if (known[i] == UNKNOWN) {
        known[i] = score(states.get(i), ask);
      }
      if (known[i] != NO_ROOM && (best == NO_ROOM || known[i] > known[best])) {
        best = i;
      }
    }
    if (best == NO_ROOM) {
      return Optional.empty();
    }
    take(states.get(best), ask);
    for (var stale : scores.values()) {
      stale[best] = UNKNOWN;
    }
    allocated += (long) ask.devices() * ask.share();
    return Optional.of(states.get(best).machine.name());
  }

  /** Thousandths of devices that pods hold. */
  public long allocatedMilli() {
    return allocated;
  }

  /** Thousandths of devices that there are. */
  public long capacityMilli() {
    return states.stream().mapToLong(state -> (long) state.idle.length * Idle.DEVICE).sum();
  }

  /** Idle thousandths of devices that are of no use to the target. */
  public double fragmentMilli(TargetWorkload target) {
    long sum = states.stream().mapToLong(state -> target.fragment(state.idle())).sum();
    return (double) sum / target.total();
  }

  private long[] unknown() {
    var unknown = new long[states.size()];
    Arrays.fill(unknown, UNKNOWN);
    return unknown;
  }

  private long score(State state, Ask ask) {
    if (ask.cpuMillis() > state.cpuMillis
        || ask.memoryBytes() > state.memoryBytes
        || (ask.devices() > 0
            && !ask.models().isEmpty()
            && !ask.models().contains(state.machine.model()))) {
      return NO_ROOM;
    }
    var device = devices(state, ask);
    return device.isEmpty() ? NO_ROOM : policy.score(state.idle(), after(state, ask, device.get()));
  }

  private void take(State state, Ask ask) {
    for (int device : devices(state, ask).orElseThrow()) {
      state.idle[device] -= ask.share();
    }
    state.cpuMillis -= ask.cpuMillis();
    state.memoryBytes -= ask.memoryBytes();
  }

  /** The devices that the pod would get on this node; empty if there are not enough. */
  private Optional<int[]> devices(State state, Ask ask) {
    if (ask.isShare()) {
      return share(state, ask);
    }
    var chosen = new ArrayList<Integer>();
    for (int i = 0; i < state.idle.length && chosen.size() < ask.devices(); i++) {
      if (state.idle[i] == Idle.DEVICE) {
        chosen.add(i);
      }
    }
    return chosen.size() < ask.devices()
        ? Optional.empty()
        : Optional.of(chosen.stream().mapToInt(Integer::intValue).toArray());
  }

  /** The device that scores best by FGD; otherwise the one with least left that will do. */
  private Optional<int[]> share(State state, Ask ask) {
    var before = state.idle();
    int best = NO_ROOM;
    long highest = 0;
    for (int i = 0; i < state.idle.length; i++) {
      if (state.idle[i] < ask.share()) {
        continue;
      }
      long score =
          policy instanceof PackingPolicy.Fgd
              ? policy.score(before, after(state, ask, new int[] {i}))
              : Idle.DEVICE - state.idle[i];
      if (best == NO_ROOM || score > highest) {
        best = i;
        highest = score;
      }
    }
    return best == NO_ROOM ? Optional.empty() : Optional.of(new int[] {best});
  }

  private static Idle after(State state, Ask ask, int[] devices) {
    var idle = state.idle.clone();
    for (int device : devices) {
      idle[device] -= ask.share();
    }
    return Idle.shared(state.cpuMillis - ask.cpuMillis(), idle, state.machine.model());
  }
}
