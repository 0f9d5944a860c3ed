package io.muster.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls of the server for DIJobs, as DI-engine and people with curl make them. */
final class DiCalls implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String url;

  /**
   * @param url of the server
   */
  DiCalls(String url) {
    this.url = url;
  }

  /** What came back. */
  record Answer(int status, JsonNode body) {

    static Answer of(HttpResponse<String> response) {
      try {
        return new Answer(response.statusCode(), JSON.readTree(response.body()));
      } catch (IOException e) {
        throw new UncheckedIOException(response.body(), e);
      }
    }

    boolean isSuccess() {
      return body.get("success").booleanValue() && body.get("code").intValue() == 0;
    }

    String message() {
      return body.get("message").textValue();
    }

    List<String> list(String field) {
      var texts = new ArrayList<String>();
      body.get("data").get(field).forEach(item -> texts.add(item.textValue()));
      return texts;
    }

    List<String> list() {
      var texts = new ArrayList<String>();
      body.get("data").forEach(item -> texts.add(item.textValue()));
      return texts;
    }
  }

  Answer call(String method, String path, String body) {
    return result(begin(method, path, body));
  }

  Answer get(String path) {
    return call("GET", path, "");
  }

  /** A call whose answer may come late. */
  CompletableFuture<Answer> begin(String method, String path, String body) {
    var request =
        HttpRequest.newBuilder(URI.create(url + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString()).thenApply(Answer::of);
  }

  static Answer result(CompletableFuture<Answer> call) {
    try {
      return call.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
