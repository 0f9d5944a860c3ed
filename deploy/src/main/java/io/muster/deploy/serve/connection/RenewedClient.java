package io.muster.deploy.serve.connection;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client that leaves a connection from which nothing comes any more, as when the machine of the
 * apiserver has lost its power: nobody closes it, all requests over HTTP/2 share it, and the JDK
 * keeps it until the kernel gives it up, a quarter of an hour later.
 *
 * <ol>
 *   <li>A request without an answer after {@link #SILENCE} makes it suspect; one is sent now and
 *       then where there are watches alone, which may be silent.
 *   <li>Then the same question is asked on it and on a new connection. It is dead if the new one
 *       answers and it does not; an apiserver that is slow or away is so on both.
 *   <li>What is under way on a dead one ends with an error, watches too; whoever sent it tries
 *       again, and meets the new one.
 * </ol>
 *
 * Safe for concurrent use.
 */
final class RenewedClient extends HttpClient {

  private static final Logger LOG = LoggerFactory.getLogger(RenewedClient.class);
  static final Duration SILENCE = Duration.ofSeconds(2);
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(3);
  private static final Duration CHECKED_APART = Duration.ofSeconds(5);

  /** Answered at once, however busy the apiserver is. */
  private static final String QUESTION = "/livez";

  private static final String AUTHORIZATION = "Authorization";

  private final Supplier<HttpClient> made;
  private final Duration beat;
  private final AtomicBoolean isSuspect = new AtomicBoolean();
  private final AtomicBoolean beats = new AtomicBoolean();
  private volatile HttpClient client;

  /** The last request that was answered. */
  private volatile Optional<HttpRequest> answered = Optional.empty();

  private volatile boolean isOver;

  /**
   * @param made makes a client with connections of its own
   * @param beat between two requests that are sent where nobody else may send any
   */
  RenewedClient(Supplier<HttpClient> made, Duration beat) {
    this.made = made;
    this.beat = beat;
    this.client = made.get();
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    var used = client;
    return watched(used, request, used.sendAsync(request, handler));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
    var used = client;
    return watched(used, request, used.sendAsync(request, handler, pushes));
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return client.send(request, handler);
  }

  private <T> CompletableFuture<HttpResponse<T>> watched(
      HttpClient used, HttpRequest request, CompletableFuture<HttpResponse<T>> answer) {
    var silence = new CompletableFuture<Void>();
    var _ =
        silence
            .orTimeout(SILENCE.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((_, problem) -> {
              if (problem instanceof TimeoutException) {
                later(Duration.ZERO, () -> suspect(used));
              }
            });
    var _ =
        answer.whenComplete((response, _) -> {
          silence.complete(null);
          if (response != null) {
            answered(request);
          }
        });
    return answer;
  }

  private void answered(HttpRequest request) {
    answered = Optional.of(request);
    if (beats.compareAndSet(false, true)) {
      beatLater(new WeakReference<>(this), beat);
    }
  }

  /** By whoever sent it, to whom it was sent. */
  private static HttpRequest questionAs(HttpRequest request) {
    URI address = request.uri().resolve(QUESTION);
    var asked = HttpRequest.newBuilder(address).timeout(ANSWERED_WITHIN);
    request
        .headers()
        .firstValue(AUTHORIZATION)
        .ifPresent(value -> asked.header(AUTHORIZATION, value));
    return asked.build();
  }

  /** As long as somebody has the client. */
  private static void beatLater(WeakReference<RenewedClient> one, Duration beat) {
    later(
        beat,
        () -> {
          var present = one.get();
          if (present != null && !present.isOver) {
            beatLater(one, beat);
            present.beat();
          }
        });
  }

  private static void later(Duration pause, Runnable work) {
    CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS).execute(work);
  }

  private void beat() {
    try {
      var _ = sendAsync(questionAs(answered.orElseThrow()), BodyHandlers.discarding());
    } catch (RejectedExecutionException _) {
      // It has been closed.
      isOver = true;
    }
  }

  private void suspect(HttpClient used) {
    var last = answered;
    if (!used.equals(client) || last.isEmpty() || !isSuspect.compareAndSet(false, true)) {
      return;
    }
    later(CHECKED_APART, () -> isSuspect.set(false));
    var other = made.get();
    var question = questionAs(last.get());
    var isThere = isAnswered(other, question);
    var _ =
        isAnswered(used, question)
            .thenAcceptBoth(isThere, (alive, there) -> judge(used, alive || !there, other));
  }

  private void judge(HttpClient used, boolean isGood, HttpClient other) {
    if (isGood || isOver) {
      other.shutdownNow();
      return;
    }
    LOG.atWarn().log("nothing comes from an open connection to the API server; left for another");
    client = other;
    used.shutdownNow();
  }

  private static CompletableFuture<Boolean> isAnswered(HttpClient client, HttpRequest question) {
    return client
        .sendAsync(question, BodyHandlers.discarding())
        .handle((response, _) -> response != null);
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }

  @Override
  public void shutdown() {
    isOver = true;
    client.shutdown();
  }

  @Override
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return client.awaitTermination(duration);
  }

  @Override
  public boolean isTerminated() {
    return client.isTerminated();
  }

  @Override
  public void shutdownNow() {
    isOver = true;
    client.shutdownNow();
  }
}
