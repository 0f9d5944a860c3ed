package io.muster.deploy.view;

import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.estimate.StartEstimates;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.ExpectedStart;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** When gangs that wait will start, as a Muster works out that starts now. Stateless. */
public final class ForeseenStarts {

  private static final Duration LONGEST = Duration.ofSeconds(5);

  private ForeseenStarts() {}

  /** Without percentiles: these are known only to a Muster that has seen gangs start. */
  public static Map<GangId, ExpectedStart> of(Replay replay) {
    long begun = System.nanoTime();
    var starts = new HashMap<GangId, ExpectedStart>();
    StartEstimates.of(
            ClusterCopy.of(replay.view()),
            share -> System.nanoTime() - begun < (long) (share * LONGEST.toNanos()),
            _ -> {})
        .forEach((gang, estimate) ->
            starts.put(gang, ExpectedStart.of(gang.namespace(), estimate, Optional.empty())));
    return starts;
  }

  /** One of them for users. */
  public static String sentence(ExpectedStart start) {
    var latest = start.p90().map(last -> ", in nine of ten cases by " + last).orElse("");
    var after = start.after().isEmpty() ? "" : "; " + start.after();
    return "expected to start at " + start.p50() + latest + after;
  }
}
