package io.muster.extender.core.decision.state;

import io.muster.extender.core.protocol.GangRecord.LimitReached;
import java.time.Instant;
import java.util.Optional;

/**
 * That one gang has run for its run-time limit, and how far that has been stored; it outlasts the
 * life of the gang that was ended by it. Confined to the decision thread.
 */
public final class ReachedLimit {

  private static final long NOTHING = -1;

  private Optional<LimitReached> reached = Optional.empty();
  private long awaitedEpoch = NOTHING;
  private boolean isNoticed;
  private Optional<Instant> since = Optional.empty();
  private Instant retryAt = Instant.MIN;

  /** It is reached, and is being stored under that epoch. */
  public void reach(LimitReached how, long epoch) {
    reached = Optional.of(how);
    awaitedEpoch = epoch;
  }

  /** An earlier life of Muster has stored it. */
  void find(Optional<LimitReached> stored) {
    reached = stored;
    awaitedEpoch = NOTHING;
  }

  /** Says whether the answer to a write is the one that is awaited; it is no more. */
  public boolean isAnsweredBy(long epoch) {
    boolean isAwaited = awaitedEpoch != NOTHING && awaitedEpoch == epoch;
    if (isAwaited) {
      awaitedEpoch = NOTHING;
    }
    return isAwaited;
  }

  /** The gang may start again. */
  public void lift() {
    reached = Optional.empty();
    awaitedEpoch = NOTHING;
  }

  public Optional<LimitReached> reached() {
    return reached;
  }

  public boolean isReached() {
    return reached.isPresent();
  }

  /** Whether it is not known to be stored yet. */
  public boolean isPending() {
    return awaitedEpoch != NOTHING;
  }

  /** Its users are told that the limit is near; says whether that is news in this life. */
  public boolean notice() {
    boolean isNews = !isNoticed;
    isNoticed = true;
    return isNews;
  }

  public boolean isNoticed() {
    return isNoticed;
  }

  /** It has run since then, or longer, as is known already. */
  public void hasRunSince(Instant start) {
    since = since.filter(start::isAfter).or(() -> Optional.of(start));
  }

  /** What was begun of its start is undone, or has never been enough. */
  public void hasNotStarted() {
    since = Optional.empty();
  }

  /** Since when the clock of its present life runs. */
  public Optional<Instant> since() {
    return since;
  }

  /** Whoever could not store it leaves it until then. */
  public void retryAt(Instant at) {
    retryAt = at;
  }

  public Instant retryAt() {
    return retryAt;
  }

  void beginIncarnation() {
    isNoticed = false;
    since = Optional.empty();
  }
}
