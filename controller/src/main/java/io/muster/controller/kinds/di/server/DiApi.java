package io.muster.controller.kinds.di.server;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kinds.di.server.call.Access;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.Query;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kinds.di.server.worker.FailedWorkers;
import io.muster.controller.kinds.di.server.worker.TaskCalls;
import io.muster.controller.kinds.di.server.worker.WorkerDeletes;
import io.muster.controller.kinds.di.server.worker.WorkerGets;
import io.muster.controller.kinds.di.server.worker.WorkerPosts;
import io.muster.controller.kube.Rejection;
import io.muster.controller.port.DiMeter.Route;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Both APIs, apart from HTTP: leads each call to who answers it, and turns whatever comes of it
 * into an answer. Safe for concurrent use.
 */
public final class DiApi {

  private static final Logger LOG = LoggerFactory.getLogger(DiApi.class);

  /** In which the watches have shown all there is. */
  private static final long FILLED_WITHIN_SECONDS = 20;

  private static final String FIRST_REPLICAS = "/v1alpha1/replicas";
  private static final String FIRST_FAILED = "/v1alpha1/replicas/failed";
  private static final Pattern OF_JOB =
      Pattern.compile("/v2alpha1/(?:job/)?([^/]+(?:/[^/]+)?)/(replicas|profilings)/?");

  private final CompletableFuture<Void> filled;
  private final Access access;
  private final Desks desks;
  private final Executor executor;

  /** Who answers which calls. */
  record Desks(
      WorkerGets gets,
      WorkerPosts posts,
      WorkerDeletes deletes,
      FailedWorkers failures,
      TaskCalls tasks) {}

  /**
   * @param filled ends once the watches have shown what there is
   * @param executor runs calls, which may block
   */
  public DiApi(CompletableFuture<Void> filled, Access access, Desks desks, Executor executor) {
    this.filled = filled;
    this.access = access;
    this.desks = desks;
    this.executor = executor;
  }

  /** Which of the URLs it is, for the figures. */
  static Route route(String path) {
    var match = OF_JOB.matcher(path);
    if (isAt(path, FIRST_REPLICAS)) {
      return Route.REPLICAS;
    } else if (isAt(path, FIRST_FAILED)) {
      return Route.FAILED;
    } else if (match.matches()) {
      return match.group(2).equals("replicas") ? Route.JOB_REPLICAS : Route.PROFILINGS;
    }
    return Route.OTHER;
  }

  /** The answer, sooner or later; it never fails. */
  CompletableFuture<DiReply> answer(Call call) {
    return CompletableFuture.completedFuture(call)
        .thenComposeAsync(this::routed, executor)
        .exceptionally(DiApi::refused);
  }

  private CompletableFuture<DiReply> routed(Call call) {
    return switch (route(call.path())) {
      case REPLICAS -> replicas(call);
      case FAILED -> {
        requireMethod(call, List.of("POST"));
        yield desks.failures().post(call, caller(call));
      }
      case JOB_REPLICAS, PROFILINGS -> ofJob(call).atOnce();
      case OTHER ->
          throw RefusedException.notFound(
              "there is nothing here; there are %s, %s and /v2alpha1/job/NAMESPACE.NAME/replicas"
                      .formatted(FIRST_REPLICAS, FIRST_FAILED)
                  + " and .../profilings");
    };
  }

  private CompletableFuture<DiReply> replicas(Call call) {
    requireMethod(call, List.of("GET", "POST", "DELETE"));
    var caller = caller(call);
    if (call.method().equals("GET")) {
      return desks.gets().get(call, caller).atOnce();
    }
    Query.read(call.query(), List.of());
    return call.method().equals("POST")
        ? desks.posts().post(call, caller)
        : desks.deletes().delete(call, caller);
  }

  private DiReply ofJob(Call call) {
    Matcher match = OF_JOB.matcher(call.path());
    if (!match.matches()) {
      throw new IllegalArgumentException(call.path());
    }
    var id = match.group(1);
    if (match.group(2).equals("profilings")) {
      requireMethod(call, List.of("POST"));
      return desks.tasks().profile(id, call.body(), caller(call));
    }
    requireMethod(call, List.of("GET", "POST", "DELETE"));
    return switch (call.method()) {
      case "GET" -> desks.tasks().get(id, caller(call));
      case "POST" -> desks.tasks().add(id, call.body(), caller(call));
      default -> desks.tasks().delete(id, call.body(), caller(call));
    };
  }

  private static boolean isAt(String path, String known) {
    return path.equals(known) || path.equals(known + "/");
  }

  private static void requireMethod(Call call, List<String> known) {
    if (!known.contains(call.method())) {
      throw RefusedException.notImplemented(
          "%s is not implemented here; there is %s"
              .formatted(call.method(), String.join(", ", known)));
    }
  }

  /** Who calls; known only once the watches have shown what there is. */
  private Caller caller(Call call) {
    try {
      filled.get(FILLED_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw RefusedException.later("Muster is stopping; ask again");
    } catch (ExecutionException | TimeoutException _) {
      throw RefusedException.later("Muster has not read the cluster yet; ask again");
    }
    return access.of(call);
  }

  private static DiReply refused(Throwable thrown) {
    var cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    return switch (cause) {
      case RefusedException refusal -> DiReply.refused(refusal);
      case CancellationException _ ->
          DiReply.refused(RefusedException.later("Muster is stopping; ask again"));
      case KubernetesClientException e -> DiReply.refused(refused(e));
      default -> {
        LOG.error("a call of the server for DIJobs failed", cause);
        yield new DiReply(500, false, "Muster failed; its log says how", Optional.empty());
      }
    };
  }

  private static RefusedException refused(KubernetesClientException e) {
    var sentence = Rejection.sentence(e);
    return switch (Rejection.of(e)) {
      case REFUSED -> RefusedException.malformed("the API server refuses it: " + sentence);
      case ABSENT, NAMESPACE_ENDS -> RefusedException.notFound("it is gone: " + sentence);
      case CONFLICT, UNAVAILABLE ->
          RefusedException.later("the API server cannot do it now; ask again: " + sentence);
    };
  }
}
