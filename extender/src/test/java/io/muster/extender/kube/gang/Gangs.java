package io.muster.extender.kube.gang;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.util.Map;
import java.util.Optional;

/** Records and reports for tests. */
public final class Gangs {

  public static final GangId TRAIN = new GangId(Dialect.KOORDINATOR, "ml", "train");

  private Gangs() {}

  public static GangRecord record(Phase phase, long epoch) {
    return new GangRecord(
        TRAIN,
        2,
        epoch,
        phase,
        2,
        true,
        Map.of(
            "uid-1", new Place("train-1", "node-b"),
            "uid-0", new Place("train-0", "node-a"),
            "uid-2", new Place("train-2", "node-a")),
        Optional.of("job-uid"),
        Optional.empty());
  }

  public static GangReport report(Phase phase, String message) {
    return new GangReport(phase, 3, 1, Reason.NO_ROOM, message, "add nodes");
  }
}
