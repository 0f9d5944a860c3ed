package io.muster.extender.kube.write;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.write.ApiRequest.Urgency;
import io.muster.extender.kube.write.GangWrites.Stored;
import io.muster.extender.port.Delays;
import io.muster.extender.port.EventSink;
import io.muster.extender.port.WriteMeter.Kind;
import io.muster.extender.port.WriteMeter.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes what is told of gangs: of each only the newest, until that is stored or dropped for a
 * record or the end of the gang. One write of a gang at most waits in its lane. Safe for concurrent
 * use.
 */
final class ReportWrites {

  private static final Pause FIRST_PAUSE =
      new Pause(Duration.ofMillis(200), Duration.ofSeconds(30));

  private final GangWrites gangs;
  private final Lanes<GangId> lanes;
  private final Delays delays;
  private final WriteOutcomes outcomes;
  private final Map<GangId, Effect.WriteReport> newest = new ConcurrentHashMap<>();

  ReportWrites(GangWrites gangs, Lanes<GangId> lanes, Delays delays, WriteOutcomes outcomes) {
    this.gangs = gangs;
    this.lanes = lanes;
    this.delays = delays;
    this.outcomes = outcomes;
  }

  /** Something else takes the place of what has not been written yet. */
  void drop(GangId gang) {
    newest.remove(gang);
  }

  void begin(Effect.WriteReport report, EventSink answers) {
    var gang = report.gang().gang();
    // One that still waits takes the newer text along.
    if (newest.put(gang, report) == null) {
      lanes.submit(gang, () -> write(gang, FIRST_PAUSE, answers));
    }
  }

  private void write(GangId gang, Pause pause, EventSink answers) {
    var report = newest.get(gang);
    if (report == null) {
      return;
    }
    Stored stored;
    try {
      stored = gangs.store(report.gang(), report.report(), Urgency.LEISURELY);
    } catch (RuntimeException e) {
      stored = new Stored.Refused("a fault of Muster: " + e);
    }
    var superseded = !isToBeTriedAgain(stored) && !newest.remove(gang, report);
    switch (stored) {
      case Stored.Done _ -> outcomes.count(Kind.REPORT, Outcome.DONE);
      case Stored.Already _ -> outcomes.count(Kind.REPORT, Outcome.NEEDLESS);
      case Stored.Ahead ahead -> {
        outcomes.failed(Kind.REPORT, gang, ahead.message());
        answers.accept(new Event.RecordAhead(gang, ahead.incarnation(), ahead.epoch()));
      }
      case Stored.Outdated _ -> again(gang, "the object keeps changing", pause, answers);
      case Stored.Refused refused -> again(gang, refused.message(), pause, answers);
      case Stored.Unreachable unreachable -> again(gang, unreachable.message(), pause, answers);
    }
    if (superseded && newest.containsKey(gang)) {
      lanes.submit(gang, () -> write(gang, FIRST_PAUSE, answers));
    }
  }

  /** Also one that was refused: the definition or a right may come back, and nobody asks anew. */
  private static boolean isToBeTriedAgain(Stored stored) {
    return switch (stored) {
      case Stored.Done _, Stored.Already _, Stored.Ahead _ -> false;
      case Stored.Outdated _, Stored.Refused _, Stored.Unreachable _ -> true;
    };
  }

  private void again(GangId gang, String problem, Pause pause, EventSink answers) {
    if (pause.equals(FIRST_PAUSE)) {
      outcomes.failed(Kind.REPORT, gang, problem);
    }
    delays.after(
        pause.length(), () -> lanes.submit(gang, () -> write(gang, pause.longer(), answers)));
  }
}
