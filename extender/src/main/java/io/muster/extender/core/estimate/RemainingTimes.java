package io.muster.extender.core.estimate;

import io.muster.extender.core.protocol.query.RunTime;
import io.muster.extender.core.protocol.query.RunTime.Source;
import io.muster.extender.core.protocol.query.RunningUnit;
import io.muster.extender.core.protocol.query.RunningUnit.End;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * When what is met in a run ahead comes to its end: as far as anybody knows, and else as {@link
 * Unknown} says. Not safe for concurrent use.
 */
final class RemainingTimes {

  /** How long what nobody knows a run time of is taken to run. */
  enum Unknown {
    FOR_EVER,
    NO_LONGER,
    /** As long as the last gangs that ended. */
    LIKE_OTHERS
  }

  private final List<Duration> others;
  private final Unknown unknown;
  private boolean isAnyUnknown;

  /**
   * One that has met nothing.
   *
   * @param others how long the last gangs have run that ended
   */
  RemainingTimes(List<Duration> others, Unknown unknown) {
    this.others = others.stream().sorted().toList();
    this.unknown = unknown;
  }

  /** Whether there was anything of which nobody knows how long it runs. */
  boolean isAnyUnknown() {
    return isAnyUnknown;
  }

  /** When that ends; empty: never. */
  Optional<End> end(RunningUnit unit, Instant now) {
    isAnyUnknown |= unit.end().isEmpty();
    return unit.end()
        .or(() ->
            assumed(unit.ran()).map(all -> new End(now.plus(all.time().minus(unit.ran())), all)));
  }

  /**
   * How long a gang runs that starts.
   *
   * @param known as far as anybody can say; empty: nobody can
   */
  Optional<RunTime> ofStarting(Optional<RunTime> known) {
    isAnyUnknown |= known.isEmpty();
    return known.or(() -> assumed(Duration.ZERO));
  }

  /** How long in all, of what has run so long. */
  private Optional<RunTime> assumed(Duration ran) {
    return switch (unknown) {
      case FOR_EVER -> Optional.empty();
      case NO_LONGER -> Optional.of(new RunTime(ran, Source.ASSUMED));
      case LIKE_OTHERS -> Optional.of(new RunTime(usual(ran), Source.ASSUMED));
    };
  }

  /** The median of those that ran longer; where none did, as long again. */
  private Duration usual(Duration ran) {
    var longer = others.stream().filter(run -> run.compareTo(ran) > 0).toList();
    return longer.isEmpty() ? ran.multipliedBy(2) : longer.get(longer.size() / 2);
  }
}
