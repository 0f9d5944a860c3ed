package io.muster.deploy.board.http;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HttpStatus;
import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardSource;
import io.muster.deploy.board.feed.GangPage;
import io.muster.deploy.board.feed.Seen;
import io.muster.deploy.board.history.HistoryHandler;
import io.muster.deploy.board.http.Entrance.Admission;
import io.muster.deploy.board.http.Entrance.Viewer;
import io.muster.deploy.board.whatif.Reply;
import io.muster.deploy.board.whatif.WhatIf;
import io.muster.deploy.config.ApiRefusal;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.http.Servers;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Serves the page and what it shows to browsers of those who are let in, to each what they may see.
 * Safe for concurrent use.
 */
public final class BoardServer implements AutoCloseable {

  private static final int MOST_PAGES_AT_ONCE = 2;
  private static final Duration PAGE_TURN = Duration.ofSeconds(10);

  /** For one list the API server reads all events of a namespace. */
  static final int MOST_EVENT_LISTS_AT_ONCE = 4;

  /** A page is of use without events. */
  private static final Duration EVENTS_TURN = Duration.ofSeconds(2);

  /** More than the API server may take to answer. */
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(1);

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

  private final BoardFeed feed;
  private final BoardSource source;
  private final Entrance entrance;
  private final WhatIf whatIf;
  private final HistoryHandler history;
  private final LiveViews live;
  private final ShortAnswers answers;
  private final BoardFiles files = new BoardFiles();
  private final Semaphore looksBack = new Semaphore(MOST_PAGES_AT_ONCE);
  private final Semaphore eventLists = new Semaphore(MOST_EVENT_LISTS_AT_ONCE);
  private final Semaphore pages = new Semaphore(MOST_PAGES_AT_ONCE);
  private final Javalin server;

  /**
   * Serves at once.
   *
   * @param grafana where more of the past is to be seen
   * @param port says where it listens
   */
  public BoardServer(
      BoardFeed feed,
      BoardSource source,
      Entrance entrance,
      WhatIf whatIf,
      Optional<URI> grafana,
      InstantSource clock,
      Consumer<JavalinConfig> port) {
    this(feed, source, entrance, whatIf, grafana, clock, port, LONGEST_ANSWER);
  }

  /**
   * The same.
   *
   * @param longest that an answer takes, but for views
   */
  BoardServer(
      BoardFeed feed,
      BoardSource source,
      Entrance entrance,
      WhatIf whatIf,
      Optional<URI> grafana,
      InstantSource clock,
      Consumer<JavalinConfig> port,
      Duration longest) {
    this.answers = new ShortAnswers(longest);
    this.feed = feed;
    this.source = source;
    this.entrance = entrance;
    this.whatIf = whatIf;
    this.history = new HistoryHandler(feed.history(), clock, grafana);
    this.live = new LiveViews(feed, clock);
    this.server =
        Servers.of(java -> {
          port.accept(java);
          // A stream holds its thread for as long as somebody looks.
          java.concurrency.useVirtualThreads = true;
          routes(java);
        });
    server.start();
  }

  /** Where it listens. */
  public int port() {
    return server.port();
  }

  private void routes(JavalinConfig java) {
    java.routes.before(context -> {
      answers.begin(context);
      HEADERS.forEach(context::header);
      entrance
          .barred(context)
          .ifPresent(refused -> {
            refused.send(context);
            context.skipRemainingHandlers();
          });
    });
    java.routes.get("/", this::index);
    java.routes.get("/static/{folder}/{name}", this::file);
    java.routes.get("/api/v1/view", guarded(live::view));
    java.routes.get("/api/v1/stream", guarded(live::stream));
    java.routes.get("/api/v1/gangs/{namespace}/{name}", guarded(this::gang));
    java.routes.post("/api/v1/fit", guarded(this::fit));
    java.routes.get("/api/v1/history", guarded(this::history));
    entrance.addTo(java);
  }

  private interface Answer {
    void to(Context context, Viewer viewer) throws IOException, InterruptedException;
  }

  private Handler guarded(Answer answer) {
    return context -> {
      switch (entrance.admit(context)) {
        case Admission.Admitted(var viewer) -> answer.to(context, viewer);
        case Admission.Refused refused -> refused.send(context);
      }
    };
  }

  private static void refuse(Context context, HttpStatus status, String why) {
    new Admission.Refused(status, why).send(context);
  }

  private void index(Context context) {
    if (!entrance.opens(context)) {
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

  private void gang(Context context, Viewer viewer) throws InterruptedException {
    var namespace = context.pathParam("namespace");
    var name = context.pathParam("name");
    viewer.looksAt(namespace);
    var seen = feed.seen().filter(_ -> viewer.access().sees(namespace));
    var found = seen.flatMap(now -> GangPage.find(now, namespace, name));
    var page =
        found.isEmpty()
            ? Optional.<GangPage>empty()
            : page(seen.get(), found.get(), viewer, events(found.get()));
    if (found.isPresent() && page.isEmpty()) {
      refuse(context, HttpStatus.SERVICE_UNAVAILABLE, "other gangs are being looked at");
    } else if (page.isPresent() && viewer.access().sees(namespace)) {
      context.json(page.get());
    } else {
      // The same whether there is none or it may not be seen.
      refuse(
          context,
          HttpStatus.NOT_FOUND,
          "there is no gang %s in namespace %s".formatted(name, namespace));
    }
  }

  /** Events of a gang, or why there are none. */
  private record Events(List<GangPage.EventRow> rows, List<String> left) {}

  private Events events(GangId gang) throws InterruptedException {
    if (!eventLists.tryAcquire(EVENTS_TURN.toMillis(), TimeUnit.MILLISECONDS)) {
      return new Events(List.of(), List.of("events: those of other gangs are being read"));
    }
    try {
      return new Events(source.events(gang), List.of());
    } catch (KubernetesClientException e) {
      return new Events(List.of(), List.of("events: " + ApiRefusal.sentence(e)));
    } finally {
      eventLists.release();
    }
  }

  /** Empty if so many others are being made that there is no turn. */
  private Optional<GangPage> page(Seen seen, GangId gang, Viewer viewer, Events events)
      throws InterruptedException {
    if (!pages.tryAcquire(PAGE_TURN.toMillis(), TimeUnit.MILLISECONDS)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          GangPage.of(seen, gang, viewer.access().isAll(), events.rows(), events.left()));
    } finally {
      pages.release();
    }
  }

  /** Numbers alone, so whoever is let in may see them. */
  private void history(Context context, Viewer viewer) throws InterruptedException {
    if (!looksBack.tryAcquire(PAGE_TURN.toMillis(), TimeUnit.MILLISECONDS)) {
      refuse(context, HttpStatus.SERVICE_UNAVAILABLE, "others are being answered; ask again soon");
      return;
    }
    try {
      history.handle(context);
    } finally {
      looksBack.release();
    }
  }

  private void fit(Context context, Viewer viewer) throws IOException, InterruptedException {
    var refusal = SameOrigin.refusal(context);
    var seen = feed.seen();
    if (refusal.isPresent()) {
      refuse(context, HttpStatus.FORBIDDEN, refusal.get());
    } else if (seen.isEmpty()) {
      context.header("Retry-After", "2");
      refuse(context, HttpStatus.SERVICE_UNAVAILABLE, "the cluster has not been read yet");
    } else if (seen.get().replay().isEmpty()) {
      refuse(
          context,
          HttpStatus.FORBIDDEN,
          "no more than one namespace can be seen, and only all nodes and pods together tell");
    } else {
      var view = seen.get().replay().get().view();
      var json = context.bodyInputStream().readNBytes(WhatIf.LONGEST_REQUEST + 1);
      var reply = whatIf.reply(viewer.account(), view, viewer.access(), feed::nodeName, json);
      context.status(status(context, reply)).json(reply.document());
    }
  }

  private static HttpStatus status(Context context, Reply reply) {
    return switch (reply) {
      case Reply.Given _ -> HttpStatus.OK;
      case Reply.Refused(var why, _) ->
          switch (why) {
            case INVALID -> HttpStatus.BAD_REQUEST;
            case FORBIDDEN -> HttpStatus.FORBIDDEN;
            case TOO_LONG -> HttpStatus.CONTENT_TOO_LARGE;
            case FAULT -> HttpStatus.INTERNAL_SERVER_ERROR;
            case TOO_SLOW -> HttpStatus.SERVICE_UNAVAILABLE;
            case BUSY -> askAgain(context, HttpStatus.SERVICE_UNAVAILABLE);
            case ONE_AT_A_TIME -> askAgain(context, HttpStatus.TOO_MANY_REQUESTS);
          };
    };
  }

  private static HttpStatus askAgain(Context context, HttpStatus status) {
    context.header("Retry-After", "" + WhatIf.ASK_AGAIN.toSeconds());
    return status;
  }

  @Override
  public void close() {
    server.stop();
    live.close();
    answers.close();
  }
}
