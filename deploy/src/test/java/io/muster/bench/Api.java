package io.muster.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.faults.TlsServer;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/**
 * Plain requests to the API server, cheap enough to stand beside what is measured. Every request is
 * bounded in time. Safe for concurrent use.
 */
final class Api implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Fewer than the streams that the API server lets one connection have. */
  private static final int IN_FLIGHT = 80;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
  private final String base;
  private final String authorization;
  private final HttpClient http;

  /** Apart from the rest: on a shared connection a watch would share its flow control too. */
  private final HttpClient watching;

  Api(Sandbox sandbox, String token) {
    this.base = sandbox.server();
    this.authorization = "Bearer " + token;
    var context = TlsServer.at(sandbox.server(), sandbox.certificate()).context();
    this.http = HttpClient.newBuilder().sslContext(context).build();
    this.watching =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(context).build();
  }

  /** What a request was answered. */
  record Reply(int status, String body) {

    boolean isSuccess() {
      return status / 100 == 2;
    }

    JsonNode json() {
      try {
        return JSON.readTree(body);
      } catch (IOException e) {
        throw new SandboxException("The API server answered what is no JSON: " + body, e);
      }
    }

    Reply orFail(String what) {
      if (!isSuccess()) {
        throw new SandboxException(what + " was refused: " + status + " " + body);
      }
      return this;
    }
  }

  JsonNode get(String path) {
    return send(request(path).GET().build()).orFail("GET " + path).json();
  }

  String text(String path) {
    return send(request(path).GET().build()).orFail("GET " + path).body();
  }

  Reply post(String path, String body) {
    return send(posting(path, body));
  }

  Reply delete(String path, String options) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method("DELETE", HttpRequest.BodyPublishers.ofString(options))
            .build());
  }

  /** As a JSON merge patch. */
  Reply patch(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/merge-patch+json")
            .method("PATCH", HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  /** Returns once the watch has begun; the lines end when the stream is closed. */
  Stream<String> watch(String path) {
    try {
      var request =
          HttpRequest.newBuilder(URI.create(base + path))
              .header("Authorization", authorization)
              .GET()
              .build();
      HttpResponse<Stream<String>> response = watching.send(request, BodyHandlers.ofLines());
      if (response.statusCode() != 200) {
        throw new SandboxException("The watch " + path + " was refused: " + response.statusCode());
      }
      return response.body();
    } catch (IOException e) {
      throw new SandboxException("The watch " + path + " failed: " + e, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private HttpRequest posting(String path, String body) {
    return request(path)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
        .build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path))
        .timeout(LIMIT)
        .header("Authorization", authorization);
  }

  private Reply send(HttpRequest request) {
    inFlight.acquireUninterruptibly();
    try {
      var response = http.send(request, BodyHandlers.ofString());
      return new Reply(response.statusCode(), response.body());
    } catch (IOException e) {
      throw new SandboxException(request.method() + " " + request.uri() + " failed: " + e, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      inFlight.release();
    }
  }

  private static SandboxException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new SandboxException("A request was interrupted.", e);
  }

  @Override
  public void close() {
    http.shutdownNow();
    watching.shutdownNow();
  }
}
