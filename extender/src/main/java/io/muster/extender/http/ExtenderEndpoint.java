package io.muster.extender.http;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.port.Reply;
import io.muster.extender.port.RequestMeter;
import io.muster.extender.port.RequestMeter.Outcome;
import io.muster.extender.port.RequestMeter.Verb;
import io.muster.extender.port.SchedulerExtender;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the verbs of a kube-scheduler extender under {@code /v1}. What the protocol has a word
 * for is answered with HTTP 200; 400 and 413 are for bodies that cannot be read. A held bind call
 * keeps no thread. Safe for concurrent use.
 */
public final class ExtenderEndpoint {

  /** Largest body read, in bytes. */
  public static final int MAX_BODY_BYTES = 64 * 1024 * 1024;

  /** What more is read of a body that is too long. */
  private static final int MAX_DRAINED_BYTES = 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ExtenderEndpoint.class);

  private static final String NO_NAMES =
      "muster needs node names, not node objects: set nodeCacheCapable: true in the extender's"
          + " entry of KubeSchedulerConfiguration";
  private static final int BAD_REQUEST = 400;
  private static final int CONTENT_TOO_LARGE = 413;

  private final SchedulerExtender desk;
  private final Function<io.fabric8.kubernetes.api.model.Pod, Pod> pods;
  private final RequestMeter meter;
  private final int maxBodyBytes;
  private final Wire wire = new Wire();

  /**
   * Answers from the desk.
   *
   * @param pods reads a pod of the API as the decisions see it
   */
  public ExtenderEndpoint(
      SchedulerExtender desk,
      Function<io.fabric8.kubernetes.api.model.Pod, Pod> pods,
      RequestMeter meter) {
    this(desk, pods, meter, MAX_BODY_BYTES);
  }

  ExtenderEndpoint(
      SchedulerExtender desk,
      Function<io.fabric8.kubernetes.api.model.Pod, Pod> pods,
      RequestMeter meter,
      int maxBodyBytes) {
    this.desk = desk;
    this.pods = pods;
    this.meter = meter;
    this.maxBodyBytes = maxBodyBytes;
  }

  /** Adds the routes, and raises the limit of bodies where it is lower. */
  public void register(JavalinConfig config) {
    config.http.maxRequestSize = Math.max(config.http.maxRequestSize, maxBodyBytes);
    config.routes.post("/v1/filter", context -> answer(context, Verb.FILTER, this::filter));
    config.routes.post(
        "/v1/prioritize", context -> answer(context, Verb.PRIORITIZE, this::prioritize));
    config.routes.post("/v1/preempt", context -> answer(context, Verb.PREEMPT, this::preempt));
    config.routes.post("/v1/bind", this::bind);
  }

  /** A body to send and what it amounts to. */
  @SuppressWarnings("ArrayRecordComponent") // made, sent and forgotten
  private record Result(byte[] body, Outcome outcome) {}

  private Result filter(byte[] body) {
    var call = wire.nodesCall(body);
    if (!call.namesGiven()) {
      return new Result(wire.filterError(NO_NAMES), Outcome.ERROR);
    }
    meter.offered(Verb.FILTER, call.names().size());
    var reply =
        desk.filterKnown(call.key(), call.names())
            .orElseGet(() -> desk.filter(read(call.pod().get()), call.names()));
    return switch (reply) {
      case Reply.Answered<Answer>(var answer) -> filterResult(answer, call.names());
      case Reply.Unavailable<Answer>(var error) ->
          new Result(wire.filterError(error), Outcome.ERROR);
    };
  }

  private Result filterResult(Answer answer, List<String> offered) {
    return switch (answer) {
      case Answer.Accept(var nodes, var refusal) ->
          new Result(wire.filterResult(nodes, offered, refusal), Outcome.ACCEPTED);
      case Answer.Refuse(var refusal) ->
          new Result(wire.filterResult(List.of(), offered, refusal), Outcome.REFUSED);
    };
  }

  private Result prioritize(byte[] body) {
    var call = wire.nodesCall(body);
    meter.offered(Verb.PRIORITIZE, call.names().size());
    return switch (desk.prioritize(read(call.pod().get()), call.names())) {
      case Reply.Answered<Answer.Scores>(var scores) ->
          new Result(wire.priorities(call.names(), scores.byNode()), Outcome.ACCEPTED);
      // The protocol has no word for an error here; no score changes nothing.
      case Reply.Unavailable<Answer.Scores> _ ->
          new Result(wire.priorities(List.of(), Map.of()), Outcome.ERROR);
    };
  }

  private Result preempt(byte[] body) {
    var call = wire.preempt(body);
    var nodes = desk.preemptable(read(call.pod()), call.uids());
    call.victims().retain(nodes);
    return new Result(
        wire.preemptResult(call.victims()), nodes.isEmpty() ? Outcome.REFUSED : Outcome.ACCEPTED);
  }

  /** A pod of the API has no nulls in its lists, nor the like; one that has came from elsewhere. */
  private Pod read(io.fabric8.kubernetes.api.model.Pod pod) {
    try {
      return pods.apply(pod);
    } catch (RuntimeException e) {
      throw new MalformedCallException("the Pod holds values that no stored pod can hold", e);
    }
  }

  private void bind(Context context) {
    var begun = System.nanoTime();
    readBody(context, Verb.BIND, begun)
        .flatMap(body -> parsed(context, Verb.BIND, begun, () -> wire.bind(body)))
        .ifPresent(call ->
            context.future(() ->
                desk.bind(call.pod(), call.node())
                    .thenCompose(error -> answerBind(context, error, begun))));
  }

  private CompletableFuture<Void> answerBind(Context context, Optional<String> error, long begun) {
    try {
      send(
          context,
          new Result(
              wire.bindResult(error.orElse("")),
              error.isEmpty() ? Outcome.ACCEPTED : Outcome.ERROR),
          Verb.BIND,
          begun);
      return CompletableFuture.completedFuture(null);
    } catch (IllegalStateException gone) {
      // The scheduler has died or given up since, and the server has ended its request. A future
      // that never completes is forgotten; any other would have the server write an answer.
      LOG.debug("a bind call ended before its answer", gone);
      return new CompletableFuture<>();
    }
  }

  private void answer(Context context, Verb verb, Function<byte[], Result> answering) {
    var begun = System.nanoTime();
    readBody(context, verb, begun)
        .flatMap(body -> parsed(context, verb, begun, () -> answering.apply(body)))
        .ifPresent(result -> send(context, result, verb, begun));
  }

  private <T> Optional<T> parsed(Context context, Verb verb, long begun, Supplier<T> parsing) {
    try {
      return Optional.of(parsing.get());
    } catch (MalformedCallException e) {
      context.status(BAD_REQUEST);
      send(context, new Result(wire.problem(e.getMessage()), Outcome.MALFORMED), verb, begun);
      return Optional.empty();
    }
  }

  /** Empty if the body is too large or broke off; then that has been answered. */
  private Optional<byte[]> readBody(Context context, Verb verb, long begun) {
    try {
      int stated = context.contentLength();
      int most = stated >= 0 && stated < maxBodyBytes ? stated : maxBodyBytes;
      // One more, so that the end of the stream is seen.
      var body = context.bodyInputStream().readNBytes(most + 1);
      if (body.length <= maxBodyBytes) {
        return Optional.of(body);
      }
      // Who is still writing over HTTP/1.1 would meet a broken connection in place of the answer.
      context.bodyInputStream().readNBytes(MAX_DRAINED_BYTES);
      context.status(CONTENT_TOO_LARGE);
      send(
          context,
          new Result(
              wire.problem("the body exceeds " + maxBodyBytes + " bytes"), Outcome.TOO_LARGE),
          verb,
          begun);
    } catch (IOException e) {
      context.status(BAD_REQUEST);
      send(
          context,
          new Result(wire.problem("the body broke off: " + e.getMessage()), Outcome.MALFORMED),
          verb,
          begun);
    }
    return Optional.empty();
  }

  private void send(Context context, Result result, Verb verb, long begun) {
    context.contentType("application/json").result(result.body());
    meter.answered(verb, result.outcome(), Duration.ofNanos(System.nanoTime() - begun));
  }
}
