package io.muster.extender.core.decision.state;

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
public final class Losses {

  /** A member that had started: as whom it was placed, and where it was. */
  public record Lost(Wanted wanted, Optional<String> node) {

    /** What it asked for. */
    public Demand shape() {
      return wanted.demand();
    }
  }

  private final List<Lost> lost = new ArrayList<>();
  private Optional<Instant> since = Optional.empty();
  private boolean restartDue;

  public void add(Lost member, Instant now) {
    lost.add(member);
    since(now);
  }

  /** Some were lost, it is not known which. */
  public void since(Instant now) {
    since = since.or(() -> Optional.of(now));
  }

  public boolean areAny() {
    return since.isPresent();
  }

  public boolean areOlderThan(Duration time, Instant now) {
    return since.filter(from -> now.isAfter(from.plus(time))).isPresent();
  }

  public boolean areAtLeast(Duration time, Instant now) {
    return since.filter(from -> !now.isBefore(from.plus(time))).isPresent();
  }

  /** The lost member of that number, if it is known. */
  public Optional<Lost> get(int number) {
    return number < lost.size() ? Optional.of(lost.get(number)) : Optional.empty();
  }

  /** They are such that the gang starts again for them; nobody joins it before that. */
  public void requireRestart() {
    restartDue = true;
  }

  public boolean isRestartDue() {
    return restartDue;
  }

  /** Nothing is lost any more. */
  public void end() {
    lost.clear();
    since = Optional.empty();
    restartDue = false;
  }
}
