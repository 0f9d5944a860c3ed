package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClientException;
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
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BoardServerTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final Played source = new Played();
  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper mapper = new ObjectMapper();
  private BoardFeed feed;
  private LocalBoard server;
  private URI base;

  /** A source that shows what a test gives it. */
  private static final class Played implements BoardSource {
    private final LinkedBlockingQueue<Seen> next = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<RuntimeException> faults = new LinkedBlockingQueue<>();

    @Override
    public Optional<Seen> look() {
      var fault = faults.poll();
      if (fault != null) {
        throw fault;
      }
      return Optional.ofNullable(next.poll());
    }

    @Override
    public void awaitChange(Duration longest) throws InterruptedException {
      long until = System.nanoTime() + longest.toNanos();
      while (next.isEmpty() && faults.isEmpty() && System.nanoTime() - until < 0) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    }

    @Override
    public List<GangPage.EventRow> events(GangId gang) {
      return List.of(new GangPage.EventRow("2026-11-22T05:59:00Z", "Normal", "Why", "so", 2));
    }

    @Override
    public void close() {
      next.clear();
    }
  }

  private static Views cluster(int devices) {
    var gang = Map.of("muster.io/gang-name", "runs", "muster.io/gang-min", "1");
    return new Views().node("n", 8).pod("runs-0", devices, "n", gang);
  }

  @BeforeEach
  void start() {
    feed = new BoardFeed("run", source, new BoardReading(NodeLabels.USUAL), InstantSource.system());
    server = new LocalBoard(feed, source, Sources.whatIf(), InstantSource.system(), 0);
    feed.start();
    base = URI.create(server.address().replaceFirst("\\?.*", ""));
  }

  @AfterEach
  void stop() {
    feed.close();
    server.close();
    client.close();
  }

  private HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(base.resolve(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** The cookie of whoever opens the address. */
  private String cookie() throws IOException, InterruptedException {
    var opened =
        client.send(
            HttpRequest.newBuilder(URI.create(server.address())).build(), BodyHandlers.ofString());
    assertThat(opened.statusCode()).isEqualTo(302);
    var cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("HttpOnly", "SameSite=Strict");
    return cookie.substring(0, cookie.indexOf(';'));
  }

  @Test
  void theAddressOpensOnceAndNobodyElseSeesAnything() throws IOException, InterruptedException {
    source.next.add(Sources.seen(Sources.NOT_LED, cluster(4)));
    for (var path : List.of("api/v1/view", "api/v1/stream", "api/v1/gangs/train/runs")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(401);
      assertThat(get(path, "Cookie", "muster-board=guessed").statusCode()).isEqualTo(401);
    }
    assertThat(get("?key=guessed").headers().firstValue("Set-Cookie")).isEmpty();

    var cookie = cookie();
    assertThat(get("api/v1/view", "Cookie", cookie).statusCode()).isEqualTo(200);
    var again =
        client.send(
            HttpRequest.newBuilder(URI.create(server.address())).build(), BodyHandlers.ofString());
    assertThat(again.headers().firstValue("Set-Cookie")).as("it has been used").isEmpty();
  }

  @Test
  void aPageFromElsewhereWhoseNameLeadsHereIsRefused() throws IOException {
    try (var socket = new Socket(base.getHost(), base.getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.UTF_8));
      var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 403").doesNotContain("<script");
    }
  }

  @Test
  void thePageLoadsNothingFromElsewhereAndItsFilesMayBeKept()
      throws IOException, InterruptedException {
    var page = get("");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
        .startsWith("default-src 'self'");
    assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(page.body()).doesNotContain("@HASH@").doesNotContain("http://", "https://");
    var script = page.body().replaceFirst("(?s).*src=\"/([^\"]+)\".*", "$1");
    assertThat(get(script).statusCode()).isEqualTo(200);
    assertThat(get(script).headers().firstValue("Cache-Control").orElseThrow())
        .contains("immutable");
    assertThat(get(script.replaceFirst("static/\\w+/", "static/other/")).statusCode())
        .isEqualTo(404);
    assertThat(get("static/x/%2e%2e%2fcommit.properties").statusCode()).isIn(400, 404);
  }

  @Test
  void theGangPageTellsMembersTermsAndEvents() throws IOException, InterruptedException {
    source.next.add(Sources.seen(Sources.NOT_LED, cluster(4)));
    var cookie = cookie();
    get("api/v1/view", "Cookie", cookie);

    var answer = get("api/v1/gangs/train/runs", "Cookie", cookie);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    var page = mapper.readTree(answer.body());
    assertThat(page.at("/members/0/name").textValue()).isEqualTo("runs-0");
    assertThat(page.at("/members/0/node").textValue()).isEqualTo("n");
    assertThat(page.at("/members/0/standing").textValue()).isEqualTo("running");
    assertThat(page.at("/terms").valueStream().map(term -> term.at("/name").textValue()))
        .contains("dialect", "min available");
    assertThat(page.at("/events/0/message").textValue()).isEqualTo("so");
    assertThat(page.at("/evidence/0").textValue()).startsWith("phase Running");
    assertThat(page.at("/commands/0").textValue())
        .isEqualTo("kubectl muster explain -n train gang/runs");

    var none = get("api/v1/gangs/train/%3Cb%3E", "Cookie", cookie);
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(mapper.readTree(none.body()).at("/message").textValue())
        .isEqualTo("there is no gang <b> in namespace train");
  }

  private HttpResponse<String> post(String body, String... headers)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(base.resolve("api/v1/fit"))
            .headers(headers)
            .POST(HttpRequest.BodyPublishers.ofString(body));
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void aWhatIfIsAskedByThePageAlone() throws IOException, InterruptedException {
    var cookie = cookie();
    var json = new String[] {"Cookie", cookie, "Content-Type", "application/json"};
    var early = post("{}", json);
    assertThat(early.statusCode()).isEqualTo(503);
    assertThat(early.headers().firstValue("Retry-After")).isPresent();

    source.next.add(Sources.seen(Sources.NOT_LED, cluster(4)));
    get("api/v1/view", "Cookie", cookie);
    var question = "{\"members\": 1, \"moreNodes\": {\"count\": 1, \"like\": 0}}";
    var answer = post(question, json);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(mapper.readTree(answer.body()).at("/starts").textValue()).isEqualTo("now");

    var wrong = post("{\"members\": 0}", json);
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(mapper.readTree(wrong.body()).at("/field").textValue()).isEqualTo("members");
    assertThat(post(" ".repeat(300_000), json).statusCode()).isEqualTo(413);
    assertThat(post(question, "Content-Type", "application/json").statusCode()).isEqualTo(401);
    assertThat(post(question, "Cookie", cookie).statusCode()).isEqualTo(403);
    assertThat(
            post(
                    question,
                    "Cookie",
                    cookie,
                    "Content-Type",
                    "application/json",
                    "Sec-Fetch-Site",
                    "cross-site")
                .statusCode())
        .isEqualTo(403);
    assertThat(get("api/v1/fit", "Cookie", cookie).statusCode()).isIn(404, 405);
  }

  @Test
  void theHistoryIsAnsweredToThoseWhoAreLetInAndSaysWhatItDoesNotUnderstand()
      throws IOException, InterruptedException {
    assertThat(get("api/v1/history").statusCode()).isEqualTo(401);
    source.next.add(Sources.seen(Sources.LED, cluster(4)));
    var cookie = cookie();
    get("api/v1/view", "Cookie", cookie);
    Await.until(
        "a step to be there", SOON, () -> !history(cookie, "").at("/columns/used").isEmpty());

    var history = history(cookie, "?since=0");
    assertThat(history.at("/stepSeconds").intValue()).isEqualTo(90);
    assertThat(history.at("/columns/used").valueStream().map(JsonNode::intValue)).endsWith(4);
    assertThat(history.at("/began").textValue()).endsWith("Z");
    assertThat(history.has("grafana")).isFalse();
    for (var bad : List.of("?since=yesterday", "?since=", "?step=7", "?since=%00")) {
      var answer = get("api/v1/history" + bad, "Cookie", cookie);
      assertThat(answer.statusCode()).as(bad).isEqualTo(400);
      assertThat(mapper.readTree(answer.body()).at("/message").textValue()).contains(" must be ");
    }
  }

  private JsonNode history(String cookie, String query) {
    try {
      return mapper.readTree(get("api/v1/history" + query, "Cookie", cookie).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aLineToCopyRunsNothingThatAGangIsNamedAfter() throws IOException, InterruptedException {
    var name = "x'; rm -rf ~ #";
    var gang = Map.of("muster.io/gang-name", name, "muster.io/gang-min", "1");
    source.next.add(Sources.seen(Sources.NOT_LED, new Views().node("n", 8).pod("p", 1, "n", gang)));
    var cookie = cookie();
    get("api/v1/view", "Cookie", cookie);

    var path =
        "api/v1/gangs/train/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    var page = mapper.readTree(get(path, "Cookie", cookie).body());
    var line = page.at("/commands/0").textValue().replace("kubectl muster explain", "printf '%s|'");
    var process = new ProcessBuilder("sh", "-c", line).start();
    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("-n|train|gang/" + name + "|");
  }

  @Test
  void aViewThatCannotBeWorkedOutIsMarkedUntilOneCan() throws IOException, InterruptedException {
    source.next.add(Sources.seen(Sources.NOT_LED, cluster(4)));
    var cookie = cookie();
    get("api/v1/view", "Cookie", cookie);
    source.faults.add(new IllegalStateException("a step failed"));
    source.faults.add(new KubernetesClientException("no answer"));
    Await.until("the second fault to be met", SOON, source.faults::isEmpty);
    TimeUnit.SECONDS.sleep(4);
    assertThat(stale(cookie)).as("looks since then have found nothing new").isNotEmpty();

    source.next.add(Sources.seen(Sources.NOT_LED, cluster(5)));
    Await.until("a view to be worked out", SOON, () -> stale(cookie).isEmpty());
  }

  private String stale(String cookie) {
    try {
      return mapper
          .readTree(get("api/v1/view", "Cookie", cookie).body())
          .at("/source/stale")
          .asText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** What a page knows that takes events in as they come. */
  private final class Page {
    private JsonNode view;

    void take(String event, String data) {
      try {
        var told = mapper.readTree(data);
        switch (event) {
          case "whole" -> view = told;
          case "change" -> view = merged(view, told);
          default -> {}
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private JsonNode merged(JsonNode before, JsonNode change) {
      assertThat(change.at("/number").longValue()).isEqualTo(before.at("/number").longValue() + 1);
      var merged = (com.fasterxml.jackson.databind.node.ObjectNode) before.deepCopy();
      for (var part : List.of("number", "asOf", "source", "totals", "devices", "queues")) {
        if (change.has(part)) {
          merged.set(part, change.get(part));
        }
      }
      for (var part : List.of("nodes", "gangs")) {
        var known = new java.util.TreeMap<Integer, JsonNode>();
        before.at("/" + part).forEach(one -> known.put(one.at("/id").intValue(), one));
        change.at("/gone/" + part).forEach(id -> known.remove(id.intValue()));
        change.at("/" + part).forEach(one -> known.put(one.at("/id").intValue(), one));
        merged.set(part, mapper.valueToTree(known.values()));
      }
      return merged;
    }
  }

  /** Reads a stream until it has been told of that number, or for so many events. */
  private Optional<String> read(
      String cookie, Optional<String> last, int most, BiConsumer<String, String> told)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(base.resolve("api/v1/stream")).header("Cookie", cookie);
    last.ifPresent(id -> request.header("Last-Event-ID", id));
    var answer = client.send(request.build(), BodyHandlers.ofInputStream());
    assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/event-stream");
    var seen = new ArrayList<String>(last.stream().toList());
    try (var lines =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      var event = "";
      for (int events = 0; events < most; ) {
        var line = lines.readLine();
        if (line.startsWith("event: ")) {
          event = line.substring("event: ".length());
        } else if (line.startsWith("id: ")) {
          seen.add(line.substring("id: ".length()));
        } else if (line.startsWith("data: ") && !event.equals("beat")) {
          told.accept(event, line.substring("data: ".length()));
          events++;
        }
      }
    }
    return seen.isEmpty() ? Optional.empty() : Optional.of(seen.getLast());
  }

  @Test
  void aPageThatIsCutOffAgainAndAgainKnowsInTheEndWhatTheServerShows()
      throws IOException, InterruptedException {
    var random = new Random(11);
    var cookie = cookie();
    var page = new Page();
    Optional<String> last = Optional.empty();
    source.next.add(Sources.seen(Sources.NOT_LED, cluster(1)));
    for (int round = 2; round < 8; round++) {
      // Each time it may or may not still know the last event, as after a reload.
      var known = random.nextBoolean() ? last : Optional.<String>empty();
      if (known.isPresent()) {
        source.next.add(Sources.seen(Sources.NOT_LED, cluster(1 + round % 8)));
      }
      last = read(cookie, known, 1, page::take);
    }
    read(cookie, Optional.of("of-another-run.9000"), 1, page::take);

    var whole = mapper.readTree(get("api/v1/view", "Cookie", cookie).body());
    assertThat(page.view.at("/nodes")).isEqualTo(whole.at("/nodes"));
    assertThat(page.view.at("/gangs")).isEqualTo(whole.at("/gangs"));
    assertThat(page.view.at("/number")).isEqualTo(whole.at("/number"));
  }
}
