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
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** An extender on a port of its own, and a client that asks it. */
final class ExtenderServer implements AutoCloseable {

  private static final int CONNECTIONS = 1024;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Javalin server;

  ExtenderServer(ExtenderEndpoint endpoint) {
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.jetty.addConnector(ExtenderServer::connector);
                  endpoint.register(config);
                })
            .start();
  }

  /** Takes as many connections at one moment as a test may open. */
  private static Connector connector(Server server, HttpConfiguration http) {
    var connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setAcceptQueueSize(CONNECTIONS);
    return connector;
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
