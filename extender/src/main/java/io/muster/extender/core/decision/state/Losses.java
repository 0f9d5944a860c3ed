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

  /** Those that an owner may still replace: how many at most, and which are known. */
  public record Recent(int number, List<Lost> known) {
    public Recent {
      known = List.copyOf(known);
    }

    /** That of that number, if it is known. */
    public Optional<Lost> get(int index) {
      return index < known.size() ? Optional.of(known.get(index)) : Optional.empty();
    }
  }

  private record Loss(Lost member, Instant at) {}

  private final List<Loss> lost = new ArrayList<>();
  private Optional<Instant> since = Optional.empty();
  private Optional<Instant> unknownSince = Optional.empty();
  private boolean restartDue;

  public void add(Lost member, Instant now) {
    lost.add(new Loss(member, now));
    since = since.or(() -> Optional.of(now));
  }

  /** Some were lost, it is not known which. */
  public void since(Instant now) {
    since = since.or(() -> Optional.of(now));
    unknownSince = unknownSince.or(() -> Optional.of(now));
  }

  public boolean areAny() {
    return since.isPresent();
  }

  public boolean areAtLeast(Duration time, Instant now) {
    return since.filter(from -> !now.isBefore(from.plus(time))).isPresent();
  }

  /** Those that are no longer lost than that; the others are forgotten. */
  public Recent recent(Duration time, Instant now) {
    var from = now.minus(time);
    lost.removeIf(loss -> loss.at().isBefore(from));
    boolean isAnyUnknown = unknownSince.filter(at -> !at.isBefore(from)).isPresent();
    return new Recent(
        isAnyUnknown ? Integer.MAX_VALUE : lost.size(), lost.stream().map(Loss::member).toList());
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
    unknownSince = Optional.empty();
    restartDue = false;
  }
}
