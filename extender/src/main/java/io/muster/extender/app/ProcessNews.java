package io.muster.extender.app;

import io.muster.extender.core.protocol.Event;
import io.muster.extender.port.LeaderLease;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * What the decisions go by that no watch tells: until when this process leads, and how far the
 * steady clock is ahead of the time of day. Confined to whoever holds the lock.
 */
final class ProcessNews {

  /** Clocks that go a little apart have not been set. */
  private static final Duration SET = Duration.ofSeconds(1);

  private final LeaderLease tenure;
  private final InstantSource clock;
  private final InstantSource wall;
  private Instant leaseTold = Instant.MIN;
  private Duration aheadTold = Duration.ZERO;

  ProcessNews(LeaderLease tenure, InstantSource clock, InstantSource wall) {
    this.tenure = tenure;
    this.clock = clock;
    this.wall = wall;
  }

  /** What has changed since it was asked last. */
  List<Event> since() {
    var news = new ArrayList<Event>(2);
    var until = tenure.heldUntil();
    if (!until.equals(leaseTold)) {
      leaseTold = until;
      news.add(new Event.LeaseHeld(until, tenure.followsAnother()));
    }
    var ahead = Duration.between(wall.instant(), clock.instant());
    if (ahead.minus(aheadTold).abs().compareTo(SET) >= 0) {
      aheadTold = ahead;
      news.add(new Event.ClockSet(ahead));
    }
    return news;
  }
}
