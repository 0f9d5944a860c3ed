package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Condition;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.coordinator.PodUrls;
import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.kinds.di.coordinator.Workers;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.PodEnds;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Coordinators that ask for collectors and learners: each request is recorded on its job, and
 * answered once all its pods are ready. Safe for concurrent use.
 */
public final class WorkerPosts {

  private final DiView view;
  private final DiStore store;
  private final Lookup lookup;
  private final JobChanges changes;
  private final Waits waits;
  private final InstantSource clock;
  private final Terms terms;
  private final Map<String, Instant> answered = new ConcurrentHashMap<>();

  /**
   * On which calls are held.
   *
   * @param limit after which a call is answered without success; empty: it is held without end
   */
  public record Terms(Optional<Duration> limit, Sizing sizing) {}

  public WorkerPosts(DiView view, DiStore store, Waits waits, InstantSource clock, Terms terms) {
    this.view = view;
    this.store = store;
    this.lookup = new Lookup(view, store);
    this.changes = new JobChanges(store);
    this.waits = waits;
    this.clock = clock;
    this.terms = terms;
  }

  /** One call that is held. */
  private record Held(DIJob job, WorkerAsk ask, int id) {

    String key() {
      return job.getMetadata().getUid() + "/" + id;
    }
  }

  public CompletableFuture<DiReply> post(Call call, Caller caller) {
    var ask = WorkerAsk.of(call.body());
    var found = lookup.coordinator(ask.namespace(), ask.coordinator(), caller);
    if (ask.isForNothing()) {
      return created(ask, new Urls()).atOnce();
    }
    requireTemplates(found.job(), ask);
    var held = new Held(found.job(), ask, record(found, ask));
    var gone = call.gone().get();
    return waits
        .until(
            Waits.key(found.job()),
            new Waits.Until<>(() -> check(held), terms.limit(), () -> late(held), gone))
        .thenApply(reply -> {
          if (reply.isSuccess() && !gone.isDone()) {
            rememberAnswer(held);
          }
          return reply;
        });
  }

  private void requireTemplates(DIJob job, WorkerAsk ask) {
    Lookup.requireLive(job);
    requireTemplate(ask.collectors().replicas(), job.getSpec().collector() != null, "collector");
    requireTemplate(ask.learners().replicas(), job.getSpec().learner() != null, "learner");
    if (ask.needsAggregator() && store.aggregator().isEmpty()) {
      throw RefusedException.notFound(
          "learners.gpus is above 1, and for that there must be an AggregatorConfig"
              + " di-system/aggregator-config; create it or ask for 1 GPU");
    }
  }

  private static void requireTemplate(int replicas, boolean isThere, String role) {
    if (replicas > 0 && !isThere) {
      throw RefusedException.malformed(
          "the job has no spec.%s.template to make %ss of; add it".formatted(role, role));
    }
  }

  private int record(Lookup.Coordinated found, WorkerAsk ask) {
    var asking =
        new Recording.Asking(
            found.coordinator().getMetadata().getUid(),
            ask,
            () -> terms.sizing().split(found.job(), ask),
            clock.instant());
    return changes
        .change(
            found.job(),
            job -> {
              var recorded =
                  Recording.record(
                      WorkerRequests.of(job),
                      asking,
                      id -> answered.containsKey(new Held(job, ask, id).key()),
                      id -> isGone(job, id));
              return new JobChanges.Change<>(
                  JobChanges.requests(job, recorded.requests()), recorded.id());
            })
        .result();
  }

  private boolean isGone(DIJob job, int id) {
    return Workers.of(job).stream().noneMatch(worker -> worker.request() == id)
        && podsOf(job, id).isEmpty();
  }

  private List<Pod> podsOf(DIJob job, int id) {
    var label = Integer.toString(id);
    return view.pods(job).stream()
        .filter(pod -> label.equals(Marks.labels(pod).get(CoordinatorNames.REQUEST_LABEL)))
        .toList();
  }

  /** The answer, if there is one by now. */
  private Optional<DiReply> check(Held held) {
    var job = seen(held);
    if (job.isEmpty()) {
      return Optional.empty();
    }
    Lookup.requireLive(job.get());
    var request = request(job.get(), held.id());
    if (request.isEmpty() || !Workers.areDecided(job.get())) {
      return Optional.empty();
    }
    var pods =
        podsOf(job.get(), held.id()).stream()
            .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), Function.identity()));
    var urls = new Urls();
    for (var worker : Workers.of(job.get())) {
      if (worker.request() == held.id()) {
        var pod = pods.get(worker.name());
        if (pod == null || !PodEnds.isReady(pod)) {
          return Optional.empty();
        }
        urls.add(worker.kind(), PodUrls.ofService(pod));
      }
    }
    if (request.get().readyAt() == null && WorkerRequests.unreadable(job.get()).isEmpty()) {
      noteReady(job.get(), held.id());
    }
    return Optional.of(created(held.ask(), urls));
  }

  /** The job as the watch shows it; empty if it has not shown it yet. */
  private Optional<DIJob> seen(Held held) {
    var seen = view.newest(held.job());
    if (seen.isEmpty() && store.newest(held.job()).isEmpty()) {
      throw JobChanges.deleted(held.job());
    }
    return seen;
  }

  /** The request; empty if the watch has not shown it yet. */
  private static Optional<WorkerRequest> request(DIJob job, int id) {
    var requests = WorkerRequests.of(job);
    var request = requests.requests().stream().filter(recorded -> recorded.id() == id).findFirst();
    if (request.isPresent() ? request.get().pods() == 0 : requests.next() > id) {
      throw RefusedException.later("the request was taken back before its pods were ready");
    }
    return request;
  }

  private void noteReady(DIJob seen, int id) {
    changes.change(
        seen,
        job ->
            new JobChanges.Change<>(
                JobChanges.requests(
                    job, Recording.ready(WorkerRequests.of(job), id, clock.instant())),
                id));
  }

  private DiReply late(Held held) {
    var pods = podsOf(held.job(), held.id());
    var job = view.newest(held.job());
    throw RefusedException.later(
        "%d of %d pods are ready; the others are still wanted, and the same call asks for them again%s"
            .formatted(
                pods.stream().filter(PodEnds::isReady).count(),
                job.flatMap(seen -> request(seen, held.id()))
                    .map(WorkerRequest::pods)
                    .orElse(pods.size()),
                job.flatMap(WorkerPosts::whyTheyWait).map(reason -> ": " + reason).orElse("")));
  }

  /** As the job says it: not each process that serves calls places gangs. */
  private static Optional<String> whyTheyWait(DIJob job) {
    var lacking =
        Optional.ofNullable(job.getStatus()).map(DIJobStatus::conditions).stream()
            .flatMap(List::stream)
            .filter(condition -> "False".equals(condition.status()))
            .filter(condition -> condition.message() != null)
            .toList();
    return Stream.of(Generation.PODS_CREATED, GangSight.CONDITION)
        .flatMap(type -> lacking.stream().filter(condition -> type.equals(condition.type())))
        .map(Condition::message)
        .findFirst();
  }

  private static DiReply created(WorkerAsk ask, Urls urls) {
    return urls.done("successfully create replicas", ask.namespace(), ask.coordinator());
  }

  private void rememberAnswer(Held held) {
    var now = clock.instant();
    answered.values().removeIf(at -> at.plus(Recording.REPEATED_WITHIN).isBefore(now));
    answered.put(held.key(), now);
  }
}
