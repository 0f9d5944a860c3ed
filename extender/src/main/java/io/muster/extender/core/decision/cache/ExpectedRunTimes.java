package io.muster.extender.core.decision.cache;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.terms.RunTimes;
import io.muster.extender.core.protocol.query.RunTime;
import io.muster.extender.core.protocol.query.RunTime.Source;
import io.muster.extender.core.queue.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How long what starts is taken to run: as it says, as those of its kin have run, or as its queue
 * says; and no longer than it may. Confined to the decision thread.
 */
public final class ExpectedRunTimes {

  /** What runs longer than anybody said is about to end, for all that is known. */
  private static final Duration LEAST = Duration.ofSeconds(1);

  private final QueueUsage usage;
  private final RunTimes learned = new RunTimes();

  ExpectedRunTimes(QueueUsage usage) {
    this.usage = usage;
  }

  /** A life of the gang has led to its end: the next of its kin is taken to run as long. */
  public void ended(GangState gang, Instant now) {
    gang.entry
        .startedAt()
        .ifPresent(at -> {
          var ran = gang.entry.saved().plus(Duration.between(at, now));
          learned.note(gang.kin, Bounds.within(ran, Bounds.LONGEST_RUN));
          gang.entry.complete();
        });
  }

  /** How long the gang runs once it has started again, as far as anybody can say. */
  public Optional<Duration> of(GangState gang) {
    return left(gang).map(RunTime::time);
  }

  /** The same, and who says so. */
  public Optional<RunTime> left(GangState gang) {
    var left =
        stated(gang)
            .map(all -> {
              var rest = all.time().minus(gang.entry.saved());
              return new RunTime(rest.isPositive() ? rest : LEAST, all.source());
            });
    return limited(left, gang);
  }

  /** How long all of its lives together run, cut to what this one may; and who says so. */
  public Optional<RunTime> shown(GangState gang) {
    return limited(stated(gang), gang);
  }

  private Optional<RunTime> limited(Optional<RunTime> known, GangState gang) {
    return limit(gang)
        .filter(_ -> !gang.satisfied() || gang.members.wereStartedByMuster())
        .map(limit -> new RunTime(limit.time(), Source.LIMIT))
        .filter(limit -> known.filter(run -> run.time().compareTo(limit.time()) <= 0).isEmpty())
        .or(() -> known);
  }

  /**
   * How long gangs may run in one of their lives.
   *
   * @param queue that says so; empty: the gang's own members
   */
  public record Limit(Duration time, Optional<String> queue) {}

  /** How long the gang may run in one of its lives: what ends sooner binds. */
  public Optional<Limit> limit(GangState gang) {
    var own = gang.entry.runTimeLimit().map(time -> new Limit(time, Optional.empty()));
    if (usage.queues().arePlain()) {
      return own;
    }
    var name = usage.of(gang);
    return usage
        .queues()
        .find(name)
        .flatMap(Queue::runTimeLimit)
        .map(time -> new Limit(time, Optional.of(name)))
        .filter(limit -> own.filter(one -> one.time().compareTo(limit.time()) <= 0).isEmpty())
        .or(() -> own);
  }

  /** How long all of its lives together run, and who says so. */
  private Optional<RunTime> stated(GangState gang) {
    return gang.entry
        .runTime()
        .map(time -> new RunTime(time, Source.STATED))
        .or(() -> learned.usual(gang.kin).map(time -> new RunTime(time, Source.LEARNED)))
        .or(() -> ofQueue(usage.of(gang)));
  }

  /** The same of a pod without a gang. */
  public Optional<Duration> of(Pod pod) {
    return shown(pod).map(RunTime::time);
  }

  /** The same, and who says so. */
  public Optional<RunTime> shown(Pod pod) {
    return pod.wishes()
        .hints()
        .runTime()
        .map(time -> new RunTime(time, Source.STATED))
        .or(() -> ofQueue(usage.of(pod)));
  }

  private Optional<RunTime> ofQueue(String name) {
    return usage
        .queues()
        .find(name)
        .flatMap(Queue::runTime)
        .map(time -> new RunTime(time, Source.QUEUE));
  }

  /** How long gangs have run, by their kin. */
  public RunTimes learned() {
    return learned;
  }
}
