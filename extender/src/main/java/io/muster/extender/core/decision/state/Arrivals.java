package io.muster.extender.core.decision.state;

import static java.util.Comparator.naturalOrder;

import io.muster.extender.core.cluster.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** When the members of a gang came, and since when there has been none. */
public final class Arrivals {

  private static final Duration KEPT_EMPTY = Duration.ofMinutes(10);

  private Instant bornAt = Instant.MAX;
  private Instant endedBornAt = Instant.MAX;
  private Instant latest = Instant.MIN;
  private Instant emptySince = Instant.MAX;

  /**
   * A member is seen for the first time.
   *
   * @param goesOn of who ends or has ended the age counts while nobody else is there: it may be of
   *     an earlier incarnation, which ran and did not wait
   */
  void came(Instant createdAt, boolean goesOn, Instant now) {
    latest = now;
    emptySince = Instant.MAX;
    if (goesOn && createdAt.isBefore(bornAt)) {
      bornAt = createdAt;
    } else if (!goesOn && createdAt.isBefore(endedBornAt)) {
      endedBornAt = createdAt;
    }
  }

  /** No member has been there since then. */
  public void empty(Instant since) {
    emptySince = since;
  }

  /** Another incarnation begins, of those who are there already. */
  void beginIncarnation(List<Pod> there) {
    endedBornAt = Instant.MAX;
    bornAt =
        there.stream().map(pod -> pod.origin().createdAt()).min(naturalOrder()).orElse(Instant.MAX);
  }

  /** When the oldest member of this incarnation was created; {@link Instant#MAX} without one. */
  public Instant bornAt() {
    return bornAt.equals(Instant.MAX) ? endedBornAt : bornAt;
  }

  /** When a member was first seen, the last time; {@link Instant#MIN} if never. */
  public Instant latest() {
    return latest;
  }

  /** {@link Instant#MAX} where there are members, or where nobody has said that there is none. */
  public Instant emptySince() {
    return emptySince;
  }

  /** Whether no member has been there for longer than anything is kept of a gang. */
  boolean isEmptyForLong(Instant now) {
    return emptySince.isBefore(now.minus(KEPT_EMPTY));
  }
}
