package io.muster.deploy.board.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.access.Access;
import io.muster.deploy.view.Views;
import io.muster.extender.core.gang.GangId;
import io.muster.sandbox.Await;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How much is done for viewers, and for how many changes. */
final class BoardFeedTest {

  private static final Access ONE = new Access(false, Set.of("team-1"), false, false);
  private static final Duration SOON = Duration.ofSeconds(10);

  /** A cluster that changes all the time. */
  private static final class Restless implements BoardSource {
    private final AtomicInteger looks = new AtomicInteger();

    @Override
    public Optional<Seen> look() {
      var views = new Views().node("n" + looks.incrementAndGet(), 8);
      return Optional.of(Sources.seen(Sources.LED, views));
    }

    @Override
    public void awaitChange(Duration longest) {}

    @Override
    public List<GangPage.EventRow> events(GangId gang) {
      return List.of();
    }

    @Override
    public void close() {}
  }

  private final Restless source = new Restless();

  private BoardFeed feed(Duration watchedFor) {
    return new BoardFeed(
        "run", source, new BoardReading(NodeLabels.USUAL), InstantSource.system(), watchedFor);
  }

  private int looksWithin(Duration time) throws InterruptedException {
    int before = source.looks.get();
    Thread.sleep(time);
    return source.looks.get() - before;
  }

  @Test
  void whileNobodyLooksThereIsALookEveryFewSecondsAndOneAtOnceForWhoComes()
      throws InterruptedException {
    try (var feed = feed(Duration.ZERO)) {
      feed.start();
      Await.until("the first look", SOON, () -> source.looks.get() > 0);
      assertThat(looksWithin(Duration.ofSeconds(4))).isZero();

      var before = feed.log(Access.ALL).after(0, Duration.ZERO);
      Await.until("another look", Duration.ofSeconds(1), () -> source.looks.get() > 1);
      assertThat(feed.log(Access.ALL).after(((ViewLog.News.Whole) before).number(), SOON))
          .isInstanceOf(ViewLog.News.Changes.class);
    }
  }

  @Test
  void whoeverLooksSeesTwoChangesASecondAtMostHoweverFastTheyCome() throws InterruptedException {
    try (var feed = feed(Duration.ofMinutes(1))) {
      feed.start();
      Await.until("the first look", SOON, () -> source.looks.get() > 0);
      assertThat(looksWithin(Duration.ofSeconds(3))).isBetween(1, 7);
    }
  }

  @Test
  void aChangeIsWrittenOnceForAllWhoMaySeeTheSame() throws InterruptedException {
    var made = new MadeView(40, 12);
    try (var feed = feed(Duration.ZERO)) {
      Sources.publish(feed, made.view());
      var known = Map.of(Access.ALL, feed.log(Access.ALL), ONE, feed.log(ONE));
      Sources.publish(feed, made.changed(3));
      for (var access : known.keySet()) {
        var first = changes(feed, access);
        assertThat(first).hasSize(1);
        for (int viewer = 0; viewer < 20; viewer++) {
          assertThat(feed.log(access)).isSameAs(known.get(access));
          assertThat(changes(feed, access).getFirst()).isSameAs(first.getFirst());
          assertThat(whole(feed, access)).isSameAs(whole(feed, access));
        }
      }
    }
  }

  private static List<ViewLog.Change> changes(BoardFeed feed, Access access)
      throws InterruptedException {
    return ((ViewLog.News.Changes) feed.log(access).after(1, Duration.ZERO)).changes();
  }

  private static String whole(BoardFeed feed, Access access) throws InterruptedException {
    return ((ViewLog.News.Whole) feed.log(access).after(0, Duration.ZERO)).json();
  }
}
