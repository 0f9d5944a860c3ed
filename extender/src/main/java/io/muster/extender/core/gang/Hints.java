package io.muster.extender.core.gang;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a pod says about how it wants to wait, and how long it will run. Immutable.
 *
 * @param queue the queue that it names
 * @param runTime how long it will run once started, as its user believes
 */
public record Hints(Optional<String> queue, Optional<Duration> runTime) {

  /** A pod that says nothing. */
  public static final Hints NONE = new Hints(Optional.empty(), Optional.empty());

  /** Those of a pod with these markings; a value that cannot be read counts as none. */
  public static Hints of(Markings markings) {
    return new Hints(
        Stated.in(markings.annotations(), GangKeys.QUEUE).value().filter(name -> !name.isEmpty()),
        Stated.in(markings.annotations(), GangKeys.RUN_TIME)
            .value()
            .flatMap(GoDuration::parse)
            .filter(Duration::isPositive));
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
    var queue = Stated.in(markings.annotations(), GangKeys.QUEUE);
    if (queue.value().filter(String::isEmpty).isPresent()) {
      faults.add("%s is empty; the queue of the namespace is used".formatted(queue.key()));
    }
    return faults;
  }
}
