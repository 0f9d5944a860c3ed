package io.muster.extender.core.decision.state;

import io.muster.extender.core.protocol.GangRecord.LimitReached;
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

  void beginIncarnation() {
    isNoticed = false;
  }
}
