package io.muster.extender.core.decision;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.GangStanding;
import io.muster.extender.core.protocol.query.NodeStanding;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.core.protocol.query.QueuedGang;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * A Muster that starts in front of a {@link ClusterView} and whose hands are tied: it decides as a
 * running one would, and nothing of it is carried out. Confined to one thread.
 */
public final class Replay {

  private static final Duration STEP = Duration.ofMillis(500);

  /** After so many every gang has been told of, those that assemble included. */
  private static final int STEPS = 14;

  private static final Duration LEASE = Duration.ofDays(1);

  private final ClusterView view;
  private final GangScheduler protocol;
  private final Map<GangId, GangReport> reports = new TreeMap<>();
  private boolean hasTold;

  public Replay(ClusterView view) {
    this.view = view;
    this.protocol = new GangScheduler(view.deadlines(), view.rules());
    var now = view.takenAt();
    protocol.on(new Event.LeaseHeld(now.plus(LEASE), false), now);
    view.events().forEach(event -> note(protocol.on(event, now)));
    note(protocol.on(new Event.Ready(), now));
  }

  /** What it started from. */
  public ClusterView view() {
    return view;
  }

  /** Gangs that wait though enough of their members are there, in the order of the line. */
  public List<WaitingGang> waiting() {
    return protocol.placementQueries().waiting(view.takenAt());
  }

  /** All gangs that wait: those with enough members in the order of the line, then the others. */
  public List<QueuedGang> queued() {
    return protocol.placementQueries().queued(view.takenAt());
  }

  /** All nodes, by name. */
  public List<NodeStanding> nodes() {
    return protocol.placementQueries().nodes();
  }

  /** How the queues stand; only {@code default} where none is configured. */
  public List<QueueStanding> queues() {
    return protocol.placementQueries().queues();
  }

  /** All gangs that have members, by namespace and name. */
  public List<GangStanding> gangs() {
    return protocol.placementQueries().gangs(view.takenAt());
  }

  /** What is in use, reserved, free and stranded. */
  public Usage usage() {
    return protocol.usage(view.takenAt());
  }

  /** Whether, and when, these pods would start, were they made at the moment of the view. */
  public Forecast forecast(List<Prospect.Lot> lots) {
    return forecast(lots, () -> false);
  }

  /**
   * The same, for somebody who may not wait for the answer; where that is said, what has to end
   * first is looked for no further.
   *
   * @throws java.util.concurrent.CancellationException if it was given up
   */
  public Forecast forecast(List<Prospect.Lot> lots, BooleanSupplier isGivenUp) {
    return protocol.placementQueries().forecast(lots, view.takenAt(), isGivenUp);
  }

  /** What it says of a gang; empty if it does not know it. */
  public Optional<GangReport> report(GangId gang) {
    if (!hasTold) {
      hasTold = true;
      Instant now = view.takenAt();
      for (int step = 0; step < STEPS; step++) {
        now = now.plus(STEP);
        note(protocol.on(new Event.Tick(), now));
        while (protocol.isSearching()) {
          note(protocol.on(new Event.Idle(), now));
        }
      }
    }
    return Optional.ofNullable(reports.get(gang));
  }

  private void note(List<Effect> effects) {
    for (var effect : effects) {
      if (effect instanceof Effect.Fault fault) {
        throw new IllegalStateException("a step failed: " + fault.step(), fault.cause());
      }
      if (effect instanceof Effect.WriteReport(var record, var report)) {
        reports.put(record.gang(), report);
      }
    }
  }
}
