package io.muster.controller.kinds.di.server.worker;

import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.PodUrls;
import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.kinds.di.coordinator.Workers;
import io.muster.controller.kinds.di.coordinator.Workers.Worker;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.DiView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * People who give collectors and learners back. The requests are made smaller; the controller says
 * which pods go by that. Safe for concurrent use.
 */
public final class WorkerDeletes {

  /** In which the controller has decided, if one runs. */
  private static final Duration DECIDED_WITHIN = Duration.ofSeconds(5);

  private static final String DONE = "successfully delete replicas";

  private final DiView view;
  private final Lookup lookup;
  private final JobChanges changes;
  private final Waits waits;

  public WorkerDeletes(DiView view, DiStore store, Waits waits) {
    this.view = view;
    this.lookup = new Lookup(view, store);
    this.changes = new JobChanges(store);
    this.waits = waits;
  }

  public CompletableFuture<DiReply> delete(Call call, Caller caller) {
    var ask = WorkerAsk.of(call.body());
    var found = lookup.coordinator(ask.namespace(), ask.coordinator(), caller);
    Lookup.requireLive(found.job());
    var urls =
        view.pods(found.job()).stream()
            .filter(pod -> Workers.Kind.of(pod).isPresent())
            .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), PodUrls::ofService));
    var changed =
        changes.change(
            found.job(),
            job -> {
              var fewer =
                  Recording.shrink(
                      WorkerRequests.of(job),
                      ask.collectors().replicas(),
                      ask.learners().replicas());
              return new JobChanges.Change<>(JobChanges.requests(job, fewer), fewer);
            });
    var before = Workers.of(changed.before());
    return waits.until(
        Waits.key(found.job()),
        new Waits.Until<>(
            () ->
                decided(changed.after(), changed.result())
                    .map(after -> deleted(ask, gone(before, after), urls)),
            Optional.of(DECIDED_WITHIN),
            () -> undecided(ask),
            call.gone().get()));
  }

  /** The pods that there are to be after it; empty until the controller has followed. */
  private Optional<List<Worker>> decided(DIJob written, WorkerRequests requests) {
    return view.newest(written)
        .filter(job -> hasShrunk(WorkerRequests.of(job), requests))
        .filter(Workers::areDecided)
        .map(Workers::of);
  }

  /** Whether none is larger than was written. */
  private static boolean hasShrunk(WorkerRequests seen, WorkerRequests written) {
    var sizes = new HashMap<Integer, WorkerRequest>();
    written.requests().forEach(request -> sizes.put(request.id(), request));
    return seen.requests().stream()
        .allMatch(request ->
            Optional.ofNullable(sizes.get(request.id()))
                .map(size ->
                    request.collectors().replicas() <= size.collectors().replicas()
                        && request.learners().replicas() <= size.learners().replicas())
                .orElse(true));
  }

  private static List<Worker> gone(List<Worker> before, List<Worker> after) {
    var gone = new ArrayList<>(before);
    gone.removeAll(after);
    return gone;
  }

  private static DiReply deleted(WorkerAsk ask, List<Worker> gone, Map<String, String> urls) {
    var told = new Urls();
    for (var worker : gone) {
      // Who was never made had no address.
      Optional.ofNullable(urls.get(worker.name())).ifPresent(url -> told.add(worker.kind(), url));
    }
    return told.done(DONE, ask.namespace(), ask.coordinator());
  }

  /** Nobody leads at the moment. */
  private static DiReply undecided(WorkerAsk ask) {
    return new Urls()
        .done(
            DONE + "; which pods go is decided as soon as a controller runs",
            ask.namespace(),
            ask.coordinator());
  }
}
