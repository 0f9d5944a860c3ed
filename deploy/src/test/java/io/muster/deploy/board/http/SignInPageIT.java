package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.muster.deploy.board.feed.BoardView;
import io.muster.deploy.board.feed.MadeView;
import io.muster.extender.http.Servers;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** How one signs in where the board is in a cluster, in a Chromium, at a stub of that server. */
final class SignInPageIT {

  private static final Path PICTURES = Path.of("target/board");
  private static final String TOKEN = "a-token-of-somebody";
  private static final String FORM = ".signin #token";
  private static final String GANG = "#/gangs/team-1/train-1";

  private final Stub stub = new Stub();
  private Browser browser;

  /** Answers as the board in a cluster does; one session at a time. */
  private static final class Stub implements AutoCloseable {
    private final BoardFiles files = new BoardFiles();
    private final ObjectMapper mapper = new ObjectMapper();
    private final BoardView view = new MadeView(20, 12).view();
    private final Javalin server;
    private volatile boolean isSignedIn;
    private volatile String user = "ana@example.org";
    private volatile Instant until = Instant.now().plusSeconds(3_600);
    private volatile HttpStatus refusal = HttpStatus.UNAUTHORIZED;

    /** Whether it cannot read the cluster, and how often it has said so. */
    private volatile boolean isBlind;

    private final AtomicInteger saidSo = new AtomicInteger();

    Stub() {
      this.server =
          Servers.of(java -> {
            java.jetty.host = "127.0.0.1";
            java.jetty.port = 0;
            java.concurrency.useVirtualThreads = true;
            java.routes.before(context ->
                context.header(
                    "Content-Security-Policy",
                    "default-src 'self'; base-uri 'none'; form-action 'none'"));
            java.routes.get("/", context -> context.html(files.index()));
            java.routes.get(
                "/static/{folder}/{name}",
                context ->
                    context
                        .contentType(BoardFiles.typeOf(context.pathParam("name")))
                        .result(
                            files
                                .content(context.pathParam("folder"), context.pathParam("name"))
                                .orElseThrow()));
            java.routes.get("/api/v1/view", context -> answer(context, () -> json(context, view)));
            java.routes.get("/api/v1/stream", context -> answer(context, () -> stream(context)));
            java.routes.get(
                "/api/v1/gangs/{namespace}/{name}",
                context -> answer(context, () -> json(context, Map.of("members", List.of()))));
            java.routes.get(
                "/api/v1/session",
                context ->
                    answer(
                        context, () -> json(context, Map.of("user", user, "until", "" + until))));
            java.routes.post("/api/v1/session", this::signIn);
            java.routes.delete(
                "/api/v1/session",
                context -> {
                  isSignedIn = false;
                  context.status(HttpStatus.NO_CONTENT);
                });
          });
      server.start();
    }

    private void answer(Context context, Runnable answer) {
      if (isSignedIn) {
        answer.run();
      } else {
        context.status(HttpStatus.UNAUTHORIZED);
        json(context, Map.of("message", "sign in first", "signIn", true));
      }
    }

    private void signIn(Context context) throws JsonProcessingException {
      var token = mapper.readTree(context.body()).at("/token").textValue();
      assertThat(context.contentType()).isEqualTo("application/json");
      isSignedIn = token.equals(TOKEN) && refusal == HttpStatus.UNAUTHORIZED;
      if (isSignedIn) {
        context.status(HttpStatus.NO_CONTENT);
      } else {
        context.status(refusal).header("Retry-After", "3");
        json(context, Map.of("message", "no: " + refusal.getMessage()));
      }
    }

    private void stream(Context context) {
      try {
        context.contentType("text/event-stream; charset=utf-8");
        var out = context.res().getOutputStream();
        write(out, "beat", "{\"now\": \"" + Instant.now() + "\"}");
        boolean isOfTheBlind = isBlind;
        if (!isOfTheBlind) {
          write(out, "whole", mapper.writeValueAsString(view));
        }
        while (isSignedIn && isBlind == isOfTheBlind) {
          if (isOfTheBlind) {
            write(out, "beat", "{\"now\": \"%s\", \"why\": \"503\"}".formatted(Instant.now()));
            saidSo.incrementAndGet();
          }
          TimeUnit.MILLISECONDS.sleep(50);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    private static void write(java.io.OutputStream out, String event, String data)
        throws IOException {
      out.write("event: %s\ndata: %s\n\n".formatted(event, data).getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    private void json(Context context, Object document) {
      try {
        context.contentType("application/json").result(mapper.writeValueAsString(document));
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }

    String address() {
      return "http://127.0.0.1:%d/".formatted(server.port());
    }

    @Override
    public void close() {
      isSignedIn = false;
      server.stop();
    }
  }

  @BeforeEach
  void openBrowser() {
    browser = Browser.open(1440, 900);
  }

  @AfterEach
  void stop() {
    if (browser != null) {
      browser.close();
    }
    stub.close();
  }

  private void awaitForm() {
    Await.until(
        "the form to be there",
        Duration.ofSeconds(20),
        () -> browser.number("document.querySelectorAll(arguments[0]).length", FORM) == 1);
  }

  private void send(String token) {
    browser.run("document.querySelector(arguments[0]).focus()", FORM);
    browser.keys(token, Keys.ENTER);
  }

  private void openSignedIn(String hash) {
    stub.isSignedIn = true;
    browser.go(stub.address() + hash);
    browser.awaitText(".viewer", stub.user);
  }

  private void assertNothingStays() {
    awaitForm();
    var all =
        (String)
            browser.run(
                "return document.documentElement.outerHTML + document.title + location.href");
    assertThat(all).doesNotContain("train-", "team-", "node-", "queue-", stub.user);
  }

  @Test
  void whoIsNotSignedInIsAskedForATokenAndThenGetsWhereTheAddressLeads() {
    browser.go(stub.address() + GANG);
    awaitForm();
    assertThat(browser.texts(".signin pre"))
        .containsExactly("kubectl create token SERVICEACCOUNT --audience muster-board");
    assertThat(browser.texts("main")).allMatch(text -> text.contains("sign in first"));

    send(TOKEN);
    browser.awaitText("main h2", "team-1/train-1");
    browser.awaitText(".viewer", "ana@example.org");
  }

  @Test
  void theTokenIsInTheFieldAloneAndThereUntilItIsSent() {
    browser.go(stub.address());
    awaitForm();
    assertThat((String) browser.run("return document.activeElement.id")).isEqualTo("token");
    send("  " + TOKEN + "x\n");
    browser.awaitText(".signin [role=alert]", "no: Unauthorized");

    assertThat(browser.run("return document.querySelector(arguments[0]).value", FORM))
        .isEqualTo("");
    var everywhere =
        (String)
            browser.run(
                "return document.documentElement.outerHTML + location.href + document.cookie"
                    + " + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"
                    + " + JSON.stringify(history.state)"
                    + " + performance.getEntriesByType('resource').map(e => e.name)");
    assertThat(everywhere).doesNotContain(TOKEN);
    assertThat(
            browser.run(
                "const f = document.querySelector(arguments[0]);"
                    + "return [f.type, f.autocomplete].join()",
                FORM))
        .isEqualTo("password,off");
  }

  @Test
  void whatTheServerSaysIsShownAndNoTryIsMadeBeforeItMakesSense() {
    browser.go(stub.address());
    awaitForm();
    stub.refusal = HttpStatus.SERVICE_UNAVAILABLE;
    send(TOKEN);
    browser.awaitText(".signin [role=alert]", "no: Service Unavailable");
    browser.awaitText(".signin", "The next try is possible in");
    browser.awaitText(".signin button[type=submit]:not(:disabled)", "Sign in");
    stub.refusal = HttpStatus.TOO_MANY_REQUESTS;
    send(TOKEN);
    browser.awaitText(".signin [role=alert]", "no: Too Many Requests");
    assertThat(browser.number("document.querySelectorAll('.signin :disabled').length")).isOne();
    browser.awaitText(".signin button[type=submit]:not(:disabled)", "Sign in");
    stub.refusal = HttpStatus.UNAUTHORIZED;
    send("");
    browser.awaitText(".signin [role=alert]", "Paste a token first.");
    stub.server.stop();
    send(TOKEN);
    browser.awaitText(".signin [role=alert]", "The server did not answer.");
  }

  @Test
  void theFormHasNoFaultForReadersOfScreensAndFitsASmallOne() {
    browser.go(stub.address());
    awaitForm();
    for (var theme : List.of("light", "dark")) {
      browser.prefer(theme);
      browser.photograph(PICTURES.resolve("signin-%s.png".formatted(theme)));
      assertThat(browser.faults()).as(theme).isEmpty();
    }
    send("wrong");
    browser.awaitText(".signin [role=alert]", "no: Unauthorized");
    assertThat(browser.faults()).isEmpty();
    browser.resize(320, 600);
    assertThat(browser.number("document.documentElement.scrollWidth - window.innerWidth"))
        .isLessThanOrEqualTo(0);
    assertThat(browser.complaints()).noneMatch(line -> line.contains("Content Security Policy"));
  }

  @Test
  void whenTheSessionEndsNothingThatItHasShownStays() {
    openSignedIn(GANG);
    browser.awaitText("main h2", "team-1/train-1");
    browser.photograph(PICTURES.resolve("signed-in.png"));
    assertThat(browser.faults()).isEmpty();

    stub.isSignedIn = false;
    assertNothingStays();

    send(TOKEN);
    browser.awaitText("main h2", "team-1/train-1");
  }

  /** As over a connection that is dead. */
  @Test
  void thatTheSessionHasEndedIsFoundOutIfOneQuestionIsNeverAnswered() {
    browser.runFirst(
        "const real = fetch; window.fetch = (address, how) => window.isDead"
            + " ? new Promise((_, fail) => { window.isDead = false;"
            + " how.signal.addEventListener('abort', () => fail(new Error('aborted'))); })"
            + " : real(address, how)");
    openSignedIn("#/");
    browser.awaitText(".message", "no room for 8 members together");
    browser.run("window.isDead = true");
    stub.isSignedIn = false;
    assertNothingStays();
  }

  @Test
  void anotherReaderDoesNotGetWhereTheOneBeforeWas() {
    openSignedIn(GANG);
    browser.awaitText("main h2", "team-1/train-1");
    stub.isSignedIn = false;
    assertNothingStays();

    stub.user = "ben@example.org";
    send(TOKEN);
    browser.awaitText(".viewer", "ben@example.org");
    assertThat((String) browser.run("return location.hash")).isEqualTo("#/");
  }

  @Test
  void aPausedPageForgetsWhenTheSessionEndsToo() {
    stub.until = Instant.now().plusSeconds(6);
    openSignedIn("#/line?pin=team-1%2Ftrain-1");
    browser.awaitText(".message", "no room for 8 members together");
    browser.click(".pause");
    browser.awaitText(".notices", "Paused");
    stub.isSignedIn = false;
    assertNothingStays();
    browser.awaitText(".signin", "The session has ended.");
  }

  /** As where a proxy in front brings a new token with each request. */
  @Test
  void aSessionThatIsProlongedGoesOn() throws InterruptedException {
    stub.until = Instant.now().plusSeconds(4);
    openSignedIn("#/line");
    browser.awaitText(".message", "no room for 8 members together");
    stub.until = Instant.now().plusSeconds(3_600);
    TimeUnit.SECONDS.sleep(6);
    assertThat(browser.texts(".message")).isNotEmpty();
  }

  @Test
  void whoSignsOutSeesNothingMore() throws InterruptedException {
    openSignedIn("#/");
    browser.awaitText(".message", "no room for 8 members together");
    browser.click(".viewer button");
    assertNothingStays();
    browser.awaitText(".signin", "You have signed out.");
    assertThat(stub.isSignedIn).isFalse();
    TimeUnit.SECONDS.sleep(6);
    assertNothingStays();
    assertThat(browser.texts(".signin")).as("it is not overwritten").hasSize(1);
  }

  /** The server answers again, and cannot read the cluster itself. */
  @Test
  void aPageThatReconnectsIsNotLiveBeforeItHasAView() {
    openSignedIn("#/");
    browser.awaitText(".message", "no room for 8 members together");

    stub.isBlind = true;
    int told = stub.saidSo.get();
    Await.until("the beats", Duration.ofSeconds(30), () -> stub.saidSo.get() > told + 20);
    assertThat(browser.texts(".notices")).anyMatch(text -> text.contains("Connection lost"));
    assertThat(browser.texts(".message")).as("what it has shown stays").isNotEmpty();

    stub.isBlind = false;
    Await.until(
        "the page to be live",
        Duration.ofSeconds(30),
        () -> browser.texts(".notices").stream().noneMatch(text -> text.contains("lost")));
  }

  @Test
  void otherWindowsOfTheSameBrowserGoAlong() {
    openSignedIn("#/");
    browser.awaitText(".message", "no room for 8 members together");
    browser.run("const c = new BroadcastChannel('muster-board'); c.postMessage('out'); c.close()");
    assertNothingStays();
    browser.run("const c = new BroadcastChannel('muster-board'); c.postMessage('in'); c.close()");
    browser.awaitText(".viewer", stub.user);
  }
}
