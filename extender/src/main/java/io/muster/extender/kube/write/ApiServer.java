package io.muster.extender.kube.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.muster.extender.port.Delays;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Sends requests to the apiserver: every one bounded in time, and so many at once at most. A
 * quarter of them is for what nobody waits for, so that reports never delay a binding; half of that
 * is for Events, so that thousands of them never delay a report, after which a record may come.
 * Blocks its caller, which is meant to be a virtual thread. Safe for concurrent use.
 */
public final class ApiServer {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  /** Behind a burst of many gangs a request waits in line for so many times its timeout at most. */
  private static final int TIMEOUTS_IN_LINE = 3;

  private final HttpClient http;
  private final String base;
  private final ObjectMapper json = new ObjectMapper();
  private final Delays delays;
  private final Predicate<Duration> mayWrite;
  private final Duration requestTimeout;
  private final Semaphore urgent;
  private final Semaphore leisurely;
  private final Semaphore events;

  /**
   * @param mayWrite whether a write that takes so long at most may be sent now
   */
  ApiServer(
      Client client,
      Delays delays,
      Predicate<Duration> mayWrite,
      Duration requestTimeout,
      int inFlight) {
    // The client would repeat a failed request by itself for many seconds.
    var once =
        new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout(Math.toIntExact(requestTimeout.toMillis()))
            .build();
    this.http = client.getHttpClient().newBuilder().tag(once).build();
    this.base = client.getMasterUrl().toString().replaceFirst("/+$", "");
    this.delays = delays;
    this.mayWrite = mayWrite;
    this.requestTimeout = requestTimeout;
    this.events = new Semaphore(Math.max(1, inFlight / 8), true);
    this.leisurely = new Semaphore(Math.max(1, inFlight / 4 - inFlight / 8), true);
    this.urgent = new Semaphore(Math.max(1, inFlight - inFlight / 4), true);
  }

  /** Sends once, with the whole request timeout. */
  ApiReply send(ApiRequest request) {
    return send(request, requestTimeout);
  }

  /** Sends again, ever later, while the apiserver is out of reach or overloaded. */
  ApiReply sendPatiently(ApiRequest request, int tries) {
    var pause = FIRST_PAUSE;
    var reply = send(request);
    for (int tried = 1; tried < tries && reply.isTransient(); tried++) {
      delays.pause(pause);
      pause = pause.multipliedBy(2);
      reply = send(request);
    }
    return reply;
  }

  /** Creates an object, or reads the one that is there by its name. */
  ApiReply makeOrFind(ApiRequest creation, String path, int tries) {
    var made = sendPatiently(creation, tries);
    if (!made.isConflict()) {
      return made;
    }
    var read = sendPatiently(ApiRequest.get(path), tries);
    // It has gone meanwhile.
    return read.isNotFound() ? sendPatiently(creation, tries) : read;
  }

  void pause(Duration delay) {
    delays.pause(delay);
  }

  Duration requestTimeout() {
    return requestTimeout;
  }

  /**
   * Sends once, with so much time for the answer; waiting for its turn comes before that. A request
   * that is sent with little time left costs the apiserver as much as any other, and comes again.
   */
  ApiReply send(ApiRequest request, Duration limit) {
    var turns =
        switch (request.urgency()) {
          case URGENT -> urgent;
          case LEISURELY -> leisurely;
          case EVENT -> events;
        };
    try {
      if (!turns.tryAcquire(TIMEOUTS_IN_LINE * limit.toMillis(), TimeUnit.MILLISECONDS)) {
        return ApiReply.unreachable("too many requests are under way");
      }
      try {
        return isRead(request) || mayWrite.test(limit)
            ? exchange(request, limit.toMillis())
            : ApiReply.unreachable("the leader lease is running out");
      } finally {
        turns.release();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return ApiReply.unreachable("interrupted");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the body of a request is not JSON", e);
    }
  }

  private static boolean isRead(ApiRequest request) {
    return request.verb() == ApiRequest.Verb.GET;
  }

  private ApiReply exchange(ApiRequest request, long limitMillis)
      throws JsonProcessingException, InterruptedException {
    var verb = request.verb();
    var body = request.hasBody() ? json.writeValueAsString(request.body()) : null;
    var call =
        http.newHttpRequestBuilder()
            .uri(URI.create(base + request.path()))
            .timeout(limitMillis, TimeUnit.MILLISECONDS)
            .header("Accept", verb.accept())
            .method(verb.method(), body == null ? null : verb.contentType(), body)
            .build();
    var sent = http.sendAsync(call, byte[].class);
    try {
      return replyOf(sent.get(limitMillis, TimeUnit.MILLISECONDS));
    } catch (TimeoutException _) {
      sent.cancel(true);
      return ApiReply.unreachable("no answer within " + limitMillis + " ms");
    } catch (ExecutionException e) {
      var cause = e.getCause();
      return ApiReply.unreachable(
          cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    }
  }

  private ApiReply replyOf(HttpResponse<byte[]> response) {
    var body = parsed(response.body());
    var message =
        HttpResponse.isSuccessful(response.code())
            ? ""
            : body.path("message").asText("HTTP " + response.code());
    return new ApiReply(response.code(), body, message);
  }

  private JsonNode parsed(byte[] body) {
    if (body == null || body.length == 0) {
      return MissingNode.getInstance();
    }
    try {
      return json.readTree(body);
    } catch (IOException _) {
      return MissingNode.getInstance();
    }
  }
}
