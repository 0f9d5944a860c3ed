package io.muster.extender.core.decision.state;

import io.muster.extender.core.gang.GangId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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

  /** By node, how many devices of every name are held now. */
  public final Map<String, Long> held = new HashMap<>();

  private Optional<Instant> expected = Optional.empty();

  public BackfillReservation(
      Kind kind, Instant since, Instant until, Map<String, Map<String, Long>> wanted) {
    this.kind = kind;
    this.since = since;
    this.until = until;
    this.wanted = Map.copyOf(wanted);
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
}
