package io.muster.controller.kinds.di.server;

import io.muster.controller.kinds.di.server.presence.ServingProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Asks processes whether they serve, where their callers would. Safe for concurrent use. */
final class Greeting implements AutoCloseable {

  /** The path. */
  static final String PATH = "/healthz";

  /** The header of the answer that names the process: an address may be another's by now. */
  static final String NAME = "Muster-Process";

  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(LIMIT)
          .proxy(HttpClient.Builder.NO_PROXY)
          .build();

  private final Executor executor;

  /**
   * @param executor runs what comes of an answer, which may block: the threads on which answers
   *     arrive are few, and others wait for theirs on them
   */
  Greeting(Executor executor) {
    this.executor = executor;
  }

  /** Whether that process answers; known within a second, and never fails. */
  CompletableFuture<Boolean> answers(ServingProcess process) {
    var address = process.address();
    var host = address.contains(":") ? "[" + address + "]" : address;
    var request =
        HttpRequest.newBuilder(URI.create("http://%s:%d%s".formatted(host, process.port(), PATH)))
            .timeout(LIMIT)
            .GET()
            .build();
    return client
        .sendAsync(request, BodyHandlers.discarding())
        .handleAsync((answer, failure) -> failure == null && isOf(process, answer), executor);
  }

  private static boolean isOf(ServingProcess process, HttpResponse<Void> answer) {
    return answer.statusCode() == 200
        && (process.name().isEmpty()
            || answer.headers().firstValue(NAME).filter(process.name()::equals).isPresent());
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
