package io.muster.simulator.world;

import io.muster.simulator.world.Agenda.Kind;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * When the sizes of elastic jobs are looked at: as soon as live after something has happened, and
 * then the less often the longer nothing does. Milliseconds. Not thread-safe.
 */
final class Rounds {

  /** So often a running Muster looks. */
  private static final long FIRST = Duration.ofSeconds(5).toMillis();

  private final Agenda agenda;
  private final long longest;
  private long gap = FIRST;
  private OptionalLong next = OptionalLong.empty();
  private boolean isDue;

  Rounds(Agenda agenda, Duration longest) {
    this.agenda = agenda;
    this.longest = longest.toMillis();
  }

  /** Something has happened. */
  void happened(long now) {
    gap = FIRST;
    if (next.isPresent() && next.getAsLong() > now + FIRST) {
      next = OptionalLong.empty();
    }
  }

  /** A step of the agenda; one that was put off since does not count. */
  void struck(long now) {
    if (next.equals(OptionalLong.of(now))) {
      next = OptionalLong.empty();
      isDue = true;
    }
  }

  /** Whether it is time to look, which it no longer is afterwards. */
  boolean takeDue() {
    boolean was = isDue;
    isDue = false;
    return was;
  }

  /** Enters the next one, unless it is there already. */
  void goOn(long now) {
    if (next.isEmpty()) {
      next = OptionalLong.of(now + gap);
      agenda.add(now + gap, Kind.ROUND);
      gap = Math.min(2 * gap, longest);
    }
  }
}
