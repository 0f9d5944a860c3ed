package io.muster.extender.core.decision;

import io.muster.extender.core.decision.GangState.Tried;
import io.muster.extender.core.decision.LineEntry.Withheld;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether a gang that waits has nothing to do until something about it changes: its members, what
 * was found when it was last tried, or why it is withheld. Thousands may wait, and each is asked
 * every half second. Confined to the decision thread.
 */
final class Idleness {

  /** Whatever is forgotten here is late by as much. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** By then most has been told about a gang that has changed; the rest is told at its next turn. */
  private static final Duration SETTLES = Duration.ofSeconds(3);

  /** Whose last member came so lately is not told about in full yet. */
  private static final Duration ASSEMBLES = Duration.ofSeconds(10);

  private Instant until = Instant.MIN;
  private Instant changedAt = Instant.MIN;
  private long version = -1;
  private Optional<Tried> tried = Optional.empty();
  private Optional<Withheld> withheld = Optional.empty();

  /** Whether it goes on: nothing has changed, and no time has come. */
  boolean lasts(GangState gang, Instant now) {
    return now.isBefore(until) && gang.phase == Phase.WAITING && isUnchanged(gang);
  }

  private boolean isUnchanged(GangState gang) {
    return gang.version == version
        && gang.tried.isPresent() == tried.isPresent()
        && gang.tried.filter(now -> !now.saysAsMuchAs(tried.orElseThrow())).isEmpty()
        && gang.entry.withheld.equals(withheld);
  }

  /** Notes the state of the gang at the end of its turn; it may be idle from then on. */
  void note(GangState gang, Instant now) {
    if (!isUnchanged(gang)) {
      version = gang.version;
      tried = gang.tried;
      withheld = gang.entry.withheld;
      changedAt = now;
    }
    until = mayBegin(gang, now) ? end(gang, now) : Instant.MIN;
  }

  private boolean mayBegin(GangState gang, Instant now) {
    return gang.phase == Phase.WAITING
        && !gang.members.isEmpty()
        && !now.isBefore(changedAt.plus(SETTLES))
        && !now.isBefore(gang.lastMemberAt.plus(ASSEMBLES))
        && !now.isBefore(gang.holdOffUntil)
        && (gang.tried.isEmpty()
            || gang.explained.filter(gang.tried.get()::saysAsMuchAs).isPresent())
        && !gang.entry.diagnosisDue
        && gang.lostSince.isEmpty()
        && gang.condemned.isEmpty()
        && gang.unmarked.isEmpty()
        && gang.gateRemovals.areNone()
        && gang.later.areNone();
  }

  private static Instant end(GangState gang, Instant now) {
    var longest = now.plus(LONGEST);
    return gang.tried.map(Tried::until).filter(longest::isAfter).orElse(longest);
  }
}
