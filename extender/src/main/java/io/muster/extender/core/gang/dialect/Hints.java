package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Stated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a pod says about how it wants to wait, and how long it will and may run. Immutable.
 *
 * @param queue the queue that it names
 * @param runTime how long it will run once started, as its user believes; where it goes on from
 *     checkpoints, in all its lives together (durations are kept within {@link Bounds#LONGEST_RUN})
 * @param checkpoint it saves its work so often, and goes on from there; empty: it begins anew
 * @param preemptible whether it may be ended for others that come before it; where it does not say,
 *     a pod may that its owner makes anew
 * @param runTimeLimit how long it may run in one of its lives
 */
public record Hints(
    Optional<String> queue,
    Optional<Duration> runTime,
    Optional<Duration> checkpoint,
    Optional<Boolean> preemptible,
    Optional<Duration> runTimeLimit) {

  private static final Set<String> YES_OR_NO = Set.of("true", "false");

  public Hints {
    runTime = runTime.map(stated -> Bounds.within(stated, Bounds.LONGEST_RUN));
    checkpoint = checkpoint.map(stated -> Bounds.within(stated, Bounds.LONGEST_RUN));
    runTimeLimit = runTimeLimit.map(stated -> Bounds.within(stated, Bounds.LONGEST_RUN));
  }

  /** Those of a pod that may run as long as it likes. */
  public Hints(
      Optional<String> queue,
      Optional<Duration> runTime,
      Optional<Duration> checkpoint,
      Optional<Boolean> preemptible) {
    this(queue, runTime, checkpoint, preemptible, Optional.empty());
  }

  /** A pod that says nothing. */
  public static final Hints NONE =
      new Hints(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Those of a pod with these markings; a value that cannot be read counts as none. */
  public static Hints of(Markings markings) {
    return new Hints(
        Stated.in(markings.annotations(), GangKeys.QUEUE).value().filter(name -> !name.isEmpty()),
        duration(markings, GangKeys.RUN_TIME),
        duration(markings, GangKeys.CHECKPOINT),
        Stated.in(markings.annotations(), GangKeys.PREEMPTIBLE)
            .value()
            .filter(YES_OR_NO::contains)
            .map(Boolean::valueOf),
        duration(markings, GangKeys.RUN_TIME_LIMIT));
  }

  private static Optional<Duration> duration(Markings markings, String key) {
    return Stated.in(markings.annotations(), key)
        .value()
        .flatMap(GoDuration::parse)
        .filter(Duration::isPositive);
  }

  /** Sentences about values that cannot be read. */
  public static List<String> faults(Markings markings) {
    var faults = new ArrayList<String>();
    var runTime = Stated.in(markings.annotations(), GangKeys.RUN_TIME);
    if (runTime.value().isPresent() && of(markings).runTime().isEmpty()) {
      faults.add(
          "%s: %s is no duration above 0, like 90m; nothing is known of the run time"
              .formatted(runTime.key(), runTime.shown()));
    }
    var limit = Stated.in(markings.annotations(), GangKeys.RUN_TIME_LIMIT);
    if (limit.value().isPresent() && of(markings).runTimeLimit().isEmpty()) {
      faults.add(
          "%s: %s is no duration above 0, like 4h; it sets no limit"
              .formatted(limit.key(), limit.shown()));
    }
    var checkpoint = Stated.in(markings.annotations(), GangKeys.CHECKPOINT);
    if (checkpoint.value().isPresent() && of(markings).checkpoint().isEmpty()) {
      faults.add(
          "%s: %s is no duration above 0, like 10m; the gang is taken to begin anew"
              .formatted(checkpoint.key(), checkpoint.shown()));
    }
    var queue = Stated.in(markings.annotations(), GangKeys.QUEUE);
    if (queue.value().filter(String::isEmpty).isPresent()) {
      faults.add("%s is empty; the queue of the namespace is used".formatted(queue.key()));
    }
    var preemptible = Stated.in(markings.annotations(), GangKeys.PREEMPTIBLE);
    if (preemptible.value().filter(value -> !YES_OR_NO.contains(value)).isPresent()) {
      faults.add(
          "%s: %s is neither true nor false; it is ignored"
              .formatted(preemptible.key(), preemptible.shown()));
    }
    return faults;
  }
}
