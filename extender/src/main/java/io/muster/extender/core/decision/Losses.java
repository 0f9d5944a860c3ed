package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Members that one gang has lost after it had started, until that is made good or is beyond repair.
 * A restart can be due only while something is lost. Confined to the decision thread.
 */
final class Losses {

  /** A member that had started: what it asked for and where it was. */
  record Lost(Demand shape, Optional<String> node) {}

  private final List<Lost> lost = new ArrayList<>();
  private Optional<Instant> since = Optional.empty();
  private boolean restartDue;

  void add(Lost member, Instant now) {
    lost.add(member);
    since(now);
  }

  /** Some were lost, it is not known which. */
  void since(Instant now) {
    since = since.or(() -> Optional.of(now));
  }

  boolean areAny() {
    return since.isPresent();
  }

  boolean areOlderThan(Duration time, Instant now) {
    return since.filter(from -> now.isAfter(from.plus(time))).isPresent();
  }

  boolean areAtLeast(Duration time, Instant now) {
    return since.filter(from -> !now.isBefore(from.plus(time))).isPresent();
  }

  /** The lost member of that number, if it is known. */
  Optional<Lost> get(int number) {
    return number < lost.size() ? Optional.of(lost.get(number)) : Optional.empty();
  }

  /** They are such that the gang starts again for them; nobody joins it before that. */
  void requireRestart() {
    restartDue = true;
  }

  boolean isRestartDue() {
    return restartDue;
  }

  /** Nothing is lost any more. */
  void end() {
    lost.clear();
    since = Optional.empty();
    restartDue = false;
  }
}
