package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardReading;
import io.muster.deploy.board.feed.BoardSource;
import io.muster.deploy.board.feed.GangPage;
import io.muster.deploy.board.feed.NodeLabels;
import io.muster.deploy.board.feed.Seen;
import io.muster.deploy.board.feed.Sources;
import io.muster.deploy.view.Views;
import io.muster.extender.core.gang.GangId;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who looks at many gangs at once. */
final class GangPagesTest {

  private static final int AT_ONCE = 20;

  /** Events are listed until they are let go. */
  private static final class SlowEvents implements BoardSource {
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();
    private final CountDownLatch letGo = new CountDownLatch(1);

    @Override
    public Optional<Seen> look() {
      return looks.getAndIncrement() > 0
          ? Optional.empty()
          : Optional.of(
              Sources.seen(Sources.NOT_LED, new Views().node("n", 8).runs("runs", "n", 4)));
    }

    @Override
    public void awaitChange(Duration longest) throws InterruptedException {
      Thread.sleep(longest);
    }

    @Override
    public List<GangPage.EventRow> events(GangId gang) {
      lists.incrementAndGet();
      try {
        letGo.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return List.of(new GangPage.EventRow("2026-11-22T05:59:00Z", "Normal", "Why", "so", 2));
    }

    @Override
    public void close() {
      letGo.countDown();
    }
  }

  @Test
  void fewListsOfEventsAreAskedForAtOnceAndOtherPagesSayThatTheyHaveNone()
      throws IOException, InterruptedException {
    var source = new SlowEvents();
    var clock = InstantSource.system();
    var mapper = new ObjectMapper();
    try (var client = HttpClient.newHttpClient();
        var feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), clock);
        var server = new LocalBoard(feed, source, Sources.whatIf(), clock, 0);
        source) {
      feed.start();
      var cookie =
          client
              .send(
                  HttpRequest.newBuilder(URI.create(server.address())).build(),
                  BodyHandlers.discarding())
              .headers()
              .firstValue("Set-Cookie")
              .orElseThrow()
              .replaceFirst(";.*", "");
      Await.until("something is seen", Duration.ofSeconds(20), () -> feed.seen().isPresent());
      var page = URI.create(server.address()).resolve("/api/v1/gangs/train/runs");
      var request = HttpRequest.newBuilder(page).header("Cookie", cookie).build();

      var answers =
          Stream.generate(() -> client.sendAsync(request, BodyHandlers.ofString()))
              .limit(AT_ONCE)
              .toList();
      Await.until(
          "all but those that wait for events are answered",
          Duration.ofSeconds(20),
          () ->
              answers.stream().filter(CompletableFuture::isDone).count()
                  == AT_ONCE - BoardServer.MOST_EVENT_LISTS_AT_ONCE);

      assertThat(source.lists).hasValue(BoardServer.MOST_EVENT_LISTS_AT_ONCE);
      for (var answer : answers.stream().filter(CompletableFuture::isDone).toList()) {
        var told = mapper.readTree(answer.join().body());
        assertThat(answer.join().statusCode()).isEqualTo(200);
        assertThat(told.at("/events")).isEmpty();
        assertThat(told.at("/left/0").textValue()).startsWith("events: ");
      }
      source.letGo.countDown();
      assertThat(answers).extracting(answer -> answer.join().statusCode()).containsOnly(200);
    }
  }
}
