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
  private Optional<Instant> seenSince = Optional.empty();
  private Optional<Instant> statedSince = Optional.empty();
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

  /** It runs now; what was seen of it before counts. */
  public void runs(Instant now) {
    seenSince = seenSince.or(() -> Optional.of(now));
  }

  /** It has run since that time of day, or longer, as is known already. */
  public void hasRunSince(Instant stated) {
    statedSince = statedSince.filter(stated::isAfter).or(() -> Optional.of(stated));
  }

  /** What was begun of its start is undone, or has never been enough. */
  public void hasNotStarted() {
    seenSince = Optional.empty();
    statedSince = Optional.empty();
  }

  /** Since when this life of Muster has seen it run in its present life. */
  public Optional<Instant> seenSince() {
    return seenSince;
  }

  /** The time of day since which it has run, of one that ran before this life of Muster. */
  public Optional<Instant> statedSince() {
    return statedSince;
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
    hasNotStarted();
  }
}
