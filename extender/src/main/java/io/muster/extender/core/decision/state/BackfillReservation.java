package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Room that is kept for a waiting gang: on each node of a placement as many devices as its members
 * there need, as they come free. Confined to the decision thread.
 */
public final class BackfillReservation {

  /** Why room is kept. */
  public enum Kind {
    /** The first in line does not fit, and others must not pass it for ever. */
    LINE,
    /** Others end for the gang. */
    PREEMPTION
  }

  public final Kind kind;
  final Instant since;

  /** It ends then, whether or not the gang has started. */
  public final Instant until;

  /** By node and device name, how many the gang needs there. */
  public final Map<String, Map<String, Long>> wanted;

  /** By node, what the members ask for that are meant to be there. */
  public final Map<String, Set<Demand>> demands;

  /** By node, how many devices of every name are held now. */
  public final Map<String, Long> held = new HashMap<>();

  private Optional<Instant> expected = Optional.empty();

  private Optional<Instant> refusedSince = Optional.empty();

  private Optional<Instant> shortSince = Optional.empty();

  private BackfillReservation(
      Kind kind,
      Instant since,
      Instant until,
      Map<String, Map<String, Long>> wanted,
      Map<String, Set<Demand>> demands) {
    this.kind = kind;
    this.since = since;
    this.until = until;
    this.wanted = Map.copyOf(wanted);
    this.demands = Map.copyOf(demands);
  }

  /**
   * One on these nodes.
   *
   * @param wanted who is meant to be there, in the same order
   */
  public static BackfillReservation on(
      List<String> nodes, List<Wanted> wanted, Kind kind, Instant since, Instant until) {
    var devices = new HashMap<String, Map<String, Long>>();
    var demands = new HashMap<String, Set<Demand>>();
    for (int i = 0; i < nodes.size(); i++) {
      var demand = wanted.get(i).demand();
      demands.computeIfAbsent(nodes.get(i), _ -> new HashSet<>()).add(demand);
      var names = devices.computeIfAbsent(nodes.get(i), _ -> new HashMap<>());
      demand.requests().eachAccelerator((name, units) -> names.merge(name, units, Long::sum));
    }
    devices.values().removeIf(Map::isEmpty);
    return new BackfillReservation(kind, since, until, devices, demands);
  }

  /** Under which name the inventory has what is kept for the gang on the node. */
  public static String holder(GangId gang, String node) {
    return "backfill#" + gang.dialect() + ":" + gang + "@" + node;
  }

  /** Devices wanted, of every name. */
  public long devices() {
    return wanted.values().stream()
        .flatMap(names -> names.values().stream())
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Devices that are held by now. */
  public long heldDevices() {
    return held.values().stream().mapToLong(Long::longValue).sum();
  }

  /** When everything wanted will be free, as far as the run times of those there are known. */
  public Optional<Instant> expected() {
    return expected;
  }

  public void expected(Optional<Instant> value) {
    expected = value;
  }

  /** Notes whether the queue of its gang forbids it to start. */
  public void refused(boolean isRefused, Instant now) {
    refusedSince = isRefused ? refusedSince.or(() -> Optional.of(now)) : Optional.empty();
  }

  /** Notes whether a node offers fewer devices than are wanted there. */
  public void lacking(boolean isShort, Instant now) {
    shortSince = isShort ? shortSince.or(() -> Optional.of(now)) : Optional.empty();
  }

  /** Whether a node has offered too few all that time. */
  public boolean isShortFor(Duration time, Instant now) {
    return shortSince.filter(since -> !now.isBefore(since.plus(time))).isPresent();
  }

  /** Whether the queue has refused the gang all that time. */
  public boolean isRefusedFor(Duration time, Instant now) {
    return refusedSince.filter(since -> !now.isBefore(since.plus(time))).isPresent();
  }
}
