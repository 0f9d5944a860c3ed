package io.muster.deploy.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HttpStatus;
import io.muster.deploy.config.ApiRefusal;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.http.Servers;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Serves the page and what it shows to the browser of whoever started it, on the loopback address
 * alone. Safe for concurrent use.
 */
final class BoardServer implements AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";
  private static final String COOKIE = "muster-board-";
  private static final Duration BEAT = Duration.ofSeconds(15);
  private static final Duration FIRST_VIEW = Duration.ofSeconds(60);
  private static final int MOST_STREAMS = 50;
  private static final int MOST_PAGES_AT_ONCE = 2;
  private static final Duration PAGE_TURN = Duration.ofSeconds(10);
  private static final String A_YEAR = "public, max-age=31536000, immutable";

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cache-Control",
          "no-store");

  private final String run;
  private final BoardFeed feed;
  private final BoardSource source;
  private final InstantSource clock;
  private final BoardFiles files = new BoardFiles();
  private final ViewerKey key = new ViewerKey();
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final Semaphore streams = new Semaphore(MOST_STREAMS);
  private final Semaphore pages = new Semaphore(MOST_PAGES_AT_ONCE);
  private final Javalin server;

  /**
   * Serves at once.
   *
   * @param port 0: a free one
   */
  BoardServer(String run, BoardFeed feed, BoardSource source, InstantSource clock, int port) {
    this.clock = clock;
    this.run = run;
    this.feed = feed;
    this.source = source;
    this.server =
        Servers.of(java -> {
          java.jetty.host = LOOPBACK;
          java.jetty.port = port;
          // A stream holds its thread for as long as somebody looks.
          java.concurrency.useVirtualThreads = true;
          routes(java);
        });
    server.start();
  }

  /** Where to look, with a key that opens once. */
  String address() {
    return "http://%s:%d/?key=%s".formatted(LOOPBACK, server.port(), key.key());
  }

  private void routes(JavalinConfig java) {
    java.routes.before(context -> {
      HEADERS.forEach(context::header);
      // A page from elsewhere whose name leads here is not ours.
      var here = Set.of(LOOPBACK + ":" + server.port(), "localhost:" + server.port());
      if (!here.contains(Optional.ofNullable(context.host()).orElse(""))) {
        refuse(context, HttpStatus.FORBIDDEN, "open the address that muster board printed");
      }
    });
    java.routes.get("/", this::index);
    java.routes.get("/static/{folder}/{name}", this::file);
    java.routes.get("/api/v1/view", guarded(this::view));
    java.routes.get("/api/v1/stream", guarded(this::stream));
    java.routes.get("/api/v1/gangs/{namespace}/{name}", guarded(this::gang));
  }

  private interface Answer {
    void to(Context context) throws IOException, InterruptedException;
  }

  private Handler guarded(Answer answer) {
    return context -> {
      if (key.isKnown(Optional.ofNullable(context.cookie(cookie())))) {
        answer.to(context);
      } else {
        refuse(context, HttpStatus.UNAUTHORIZED, "open the address that muster board printed");
      }
    };
  }

  /** Browsers keep cookies by host, and one may look at several clusters. */
  private String cookie() {
    return COOKIE + server.port();
  }

  private void refuse(Context context, HttpStatus status, String why) {
    send(context.status(status), Map.of("message", why));
    context.skipRemainingHandlers();
  }

  private void send(Context context, Object document) {
    try {
      context.contentType("application/json").result(mapper.writeValueAsString(document));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void index(Context context) {
    var brought = Optional.ofNullable(context.queryParam("key"));
    var session = brought.flatMap(key::exchange);
    session.ifPresent(value ->
        context.header(
            "Set-Cookie", "%s=%s; Path=/; HttpOnly; SameSite=Strict".formatted(cookie(), value)));
    if (brought.isPresent()) {
      // Without the key, so that the address may be passed on.
      context.redirect("/");
    } else {
      context.html(files.index());
    }
  }

  private void file(Context context) {
    var name = context.pathParam("name");
    var found = files.content(context.pathParam("folder"), name);
    if (found.isPresent()) {
      context.header("Cache-Control", A_YEAR).contentType(BoardFiles.typeOf(name));
      context.result(found.get());
    } else {
      refuse(context, HttpStatus.NOT_FOUND, "there is no such file");
    }
  }

  private void view(Context context) throws InterruptedException {
    switch (feed.after(0, FIRST_VIEW)) {
      case BoardFeed.News.Whole(var _, var json) ->
          context.contentType("application/json").result(json);
      case BoardFeed.News.None(var _, var why) ->
          refuse(
              context,
              HttpStatus.SERVICE_UNAVAILABLE,
              why.orElse("the cluster has not been read yet"));
      case BoardFeed.News.Changes _ -> throw new IllegalStateException("it knows nothing");
    }
  }

  private void gang(Context context) throws InterruptedException {
    var namespace = context.pathParam("namespace");
    var name = context.pathParam("name");
    if (!pages.tryAcquire(PAGE_TURN.toMillis(), TimeUnit.MILLISECONDS)) {
      refuse(context, HttpStatus.SERVICE_UNAVAILABLE, "other gangs are being looked at");
      return;
    }
    try {
      var seen = feed.seen();
      var gang = seen.flatMap(now -> GangPage.find(now, namespace, name));
      if (gang.isPresent()) {
        send(context, page(seen.get(), gang.get()));
      } else {
        refuse(
            context,
            HttpStatus.NOT_FOUND,
            "there is no gang %s in namespace %s".formatted(name, namespace));
      }
    } finally {
      pages.release();
    }
  }

  private GangPage page(Seen seen, GangId gang) {
    try {
      return GangPage.of(seen, gang, source.events(gang), List.of());
    } catch (KubernetesClientException e) {
      return GangPage.of(seen, gang, List.of(), List.of("events: " + ApiRefusal.sentence(e)));
    }
  }

  private void stream(Context context) throws IOException, InterruptedException {
    if (!streams.tryAcquire()) {
      context.header("Retry-After", "30");
      refuse(context, HttpStatus.SERVICE_UNAVAILABLE, "too many windows are open");
      return;
    }
    try {
      context.contentType("text/event-stream; charset=utf-8");
      follow(
          context.res().getOutputStream(),
          known(Optional.ofNullable(context.header("Last-Event-ID"))));
    } catch (IOException _) {
      // Whoever looked has gone.
    } finally {
      streams.release();
    }
  }

  /** What a browser knows that was connected before; 0 for one of another run. */
  private long known(Optional<String> lastEvent) {
    return lastEvent
        .filter(id -> id.startsWith(run + "."))
        .map(id -> id.substring(run.length() + 1))
        .filter(number -> number.matches("\\d{1,18}"))
        .map(Long::parseLong)
        .orElse(0L);
  }

  private void follow(OutputStream out, long from) throws IOException, InterruptedException {
    long known = from;
    beat(out, Optional.empty(), Optional.empty());
    while (!feed.isClosed()) {
      switch (feed.after(known, BEAT)) {
        case BoardFeed.News.Whole(var number, var json) -> {
          write(out, "whole", number, json);
          known = number;
        }
        case BoardFeed.News.Changes(var changes) -> {
          for (var change : changes) {
            write(out, "change", change.number(), change.json());
            known = change.number();
          }
        }
        case BoardFeed.News.None(var asOf, var why) -> beat(out, asOf, why);
      }
      out.flush();
    }
  }

  /** The time, what time the view is of, and why there is none. */
  private void beat(OutputStream out, Optional<String> asOf, Optional<String> why)
      throws IOException {
    var beat = new TreeMap<String, String>();
    beat.put("now", clock.instant().toString());
    asOf.ifPresent(time -> beat.put("asOf", time));
    why.ifPresent(sentence -> beat.put("why", sentence));
    write(out, "event: beat\ndata: %s\n\n".formatted(mapper.writeValueAsString(beat)));
    out.flush();
  }

  private void write(OutputStream out, String event, long number, String json) throws IOException {
    write(out, "event: %s\nid: %s.%d\ndata: %s\n\n".formatted(event, run, number, json));
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    server.stop();
  }
}
