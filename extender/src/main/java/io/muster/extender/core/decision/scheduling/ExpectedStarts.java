package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.ExpectedStart;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes estimates of starts in, and adds how wrong earlier ones have been. Confined to the decision
 * thread.
 */
final class ExpectedStarts {

  /** A difference is told if it is more than a minute, and more than a tenth of the wait. */
  private static final Duration LEAST_DIFFERENCE = Duration.ofMinutes(1);

  private static final int PARTS = 10;

  /** A gang in one of its lives. */
  private record Life(GangId gang, long incarnation) {

    static Life of(GangState gang) {
      return new Life(gang.id, gang.incarnation());
    }
  }

  private final ClusterState cluster;
  private final StartErrors<Life> errors = new StartErrors<>();
  private Map<Life, ExpectedStart> latest = new HashMap<>();

  ExpectedStarts(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Those of these estimates that concern gangs which still wait are what is expected from now. */
  void estimated(Event.StartsEstimated estimated, Instant now) {
    compare(now);
    var expected = new HashMap<Life, ExpectedStart>();
    estimated
        .starts()
        .forEach((id, estimate) ->
            cluster
                .gangs()
                .find(id)
                .filter(GangState::isWaiting)
                .ifPresent(gang -> {
                  var life = Life.of(gang);
                  errors.estimated(life, estimated.takenAt(), estimate);
                  var latestStart = errors.latest(estimated.takenAt(), estimate);
                  expected.put(life, ExpectedStart.of(gang.id.namespace(), estimate, latestStart));
                }));
    latest = expected;
  }

  /** What has become of those of which a start was expected. */
  void compare(Instant now) {
    for (var life : errors.open()) {
      var gang = living(life);
      if (gang.filter(GangState::satisfied).isPresent()) {
        errors
            .started(life, gang.flatMap(one -> one.entry.startedAt()).orElse(now))
            .ifPresent(cluster.metricsEvents()::compared);
      } else if (gang.isEmpty() || !gang.get().members.isAnyLive()) {
        errors.forget(life);
      }
    }
    errors.weigh(now);
    latest.keySet().removeIf(life -> living(life).filter(GangState::isWaiting).isEmpty());
  }

  private Optional<GangState> living(Life life) {
    return cluster.gangs().find(life.gang()).filter(gang -> Life.of(gang).equals(life));
  }

  Optional<ExpectedStart> of(GangState gang) {
    return Optional.ofNullable(latest.get(Life.of(gang)));
  }

  /** Gangs of which something else was told than is expected now. */
  List<GangState> changed(Iterable<GangState> told, Instant now) {
    var changed = new ArrayList<GangState>();
    latest.forEach((life, expected) ->
        living(life)
            .filter(GangState::isWaiting)
            .filter(gang -> differs(gang.entry.expectedStart(), expected, now))
            .ifPresent(changed::add));
    for (var gang : told) {
      boolean isKnownNoMore = gang.entry.expectedStart().isPresent() && of(gang).isEmpty();
      if (gang.isWaiting() && isKnownNoMore) {
        changed.add(gang);
      }
    }
    return changed;
  }

  private static boolean differs(Optional<ExpectedStart> told, ExpectedStart now, Instant at) {
    return told.isEmpty()
        || told.get().p90().isPresent() != now.p90().isPresent()
        || differ(told.get().p50(), now.p50(), at)
        || differ(told.get().p90().orElse(now.p50()), now.p90().orElse(now.p50()), at);
  }

  private static boolean differ(Instant one, Instant other, Instant now) {
    var tenth = Duration.between(now, other).abs().dividedBy(PARTS);
    var most = tenth.compareTo(LEAST_DIFFERENCE) > 0 ? tenth : LEAST_DIFFERENCE;
    return Duration.between(one, other).abs().compareTo(most) > 0;
  }
}
