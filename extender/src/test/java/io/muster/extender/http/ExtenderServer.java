package io.muster.extender.http;

import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** An extender on a port of its own, and a client that asks it. */
final class ExtenderServer implements AutoCloseable {

  private final HttpClient client = HttpClient.newHttpClient();
  private final Javalin server;

  ExtenderServer(ExtenderEndpoint endpoint) {
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  endpoint.register(config);
                })
            .start("127.0.0.1", 0);
  }

  CompletableFuture<HttpResponse<String>> send(String verb, String body, Duration timeout) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/" + verb))
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  @Override
  public void close() {
    server.stop();
    client.close();
  }
}
