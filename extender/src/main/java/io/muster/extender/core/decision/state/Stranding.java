package io.muster.extender.core.decision.state;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * For how long a gang has had room elsewhere while the nodes that its members were released to do
 * not take them. Time in which there was no room anywhere does not count, and what had passed
 * before is not forgotten. Confined to the decision thread.
 */
public final class Stranding {

  /** Nodes that are closed or gone may come back within a while, or never. */
  private static final Duration LOST = Duration.ofSeconds(60);

  /** Nodes that others have taken come free again. */
  private static final Duration TAKEN = Duration.ofMinutes(2);

  private Optional<Instant> since = Optional.empty();
  private Duration before = Duration.ZERO;
  private Duration patience = TAKEN;

  /**
   * There is room elsewhere.
   *
   * @param areLost whether the nodes of some member are closed or gone, and not only taken
   */
  public void goesOn(boolean areLost, Instant now) {
    since = since.or(() -> Optional.of(now));
    patience = areLost ? LOST : TAKEN;
  }

  /** There is no room anywhere. */
  public void pauses(Instant now) {
    since.ifPresent(from -> before = before.plus(Duration.between(from, now)));
    since = Optional.empty();
  }

  /** It has got its places, or its members are recreated. */
  public void ends() {
    since = Optional.empty();
    before = Duration.ZERO;
  }

  /** When its members are to be recreated, if it goes on; empty while it does not. */
  public Optional<Instant> due() {
    return since.map(from -> from.plus(patience).minus(before));
  }
}
