package io.muster.bench.probe;

import io.muster.faults.TlsServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/** The probe's requests at the API server, with as little around them as can be. Thread-safe. */
final class Requests {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** What one connection of the JDK's client carries at once, whatever the server, is 100. */
  private static final int IN_FLIGHT = 90;

  private final Terms terms;
  private final HttpClient http;
  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);

  Requests(Terms terms) {
    this.terms = terms;
    this.http =
        HttpClient.newBuilder()
            .sslContext(TlsServer.at(terms.server(), terms.ca()).context())
            .build();
  }

  /** Waits for the answer, and returns the error that it states, empty for none. */
  String write(String method, String path, String body) {
    inFlight.acquireUninterruptibly();
    try {
      var request =
          to(path)
              .timeout(LIMIT)
              .header(
                  "Content-Type",
                  method.equals("PATCH") ? "application/json-patch+json" : "application/json")
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build();
      var response = http.send(request, BodyHandlers.ofString());
      return response.statusCode() / 100 == 2 ? "" : response.body();
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    } finally {
      inFlight.release();
    }
  }

  /** The lines of an answer that goes on, to be closed. */
  BufferedReader lines(String path) throws IOException {
    try {
      var answer = http.send(to(path).GET().build(), BodyHandlers.ofInputStream());
      if (answer.statusCode() != 200) {
        throw new IOException(path + " answers " + answer.statusCode());
      }
      return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(terms.server() + path))
        .header("Authorization", "Bearer " + terms.token());
  }
}
