package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.PodUrls;
import io.muster.controller.kinds.di.coordinator.Workers;
import io.muster.controller.kinds.di.coordinator.Workers.Worker;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.call.Fields;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodEnds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Reports of workers that do not answer: those that have begun are deleted, and the controller
 * makes others under names of their own. Safe for concurrent use.
 */
public final class FailedWorkers {

  private static final Duration MADE_WITHIN = Duration.ofSeconds(5);

  private final DiView view;
  private final DiStore store;
  private final Lookup lookup;
  private final Waits waits;

  public FailedWorkers(DiView view, DiStore store, Waits waits) {
    this.view = view;
    this.store = store;
    this.lookup = new Lookup(view, store);
    this.waits = waits;
  }

  /** Who is reported, and of which job. */
  private record Report(String namespace, String coordinator, DIJob job, List<Pod> pods) {}

  public CompletableFuture<DiReply> post(Call call, Caller caller) {
    var report = read(Fields.of(call.body()), caller);
    if (report.isEmpty()) {
      throw RefusedException.malformed(
          "collectors and learners are empty; name the pods that have failed");
    }
    var job = report.get().job();
    Lookup.requireLive(job);
    var before = Set.copyOf(Workers.of(job));
    var lost = new HashSet<String>();
    for (var pod : report.get().pods()) {
      // Who waits for room is not made any sooner by making it anew.
      if (PodEnds.phase(pod) != Member.Phase.PENDING) {
        store.delete(pod);
        lost.add(pod.getMetadata().getName());
      }
    }
    return waits.until(
        Waits.key(job),
        new Waits.Until<>(
            () -> successors(job, before, lost, false).map(pods -> recreated(report.get(), pods)),
            Optional.of(MADE_WITHIN),
            () -> recreated(report.get(), successors(job, before, lost, true).orElse(List.of())),
            call.gone().get()));
  }

  private Optional<Report> read(Fields fields, Caller caller) {
    var namespace = fields.text("namespace");
    caller.requireNamespace(namespace);
    var coordinator = fields.optionalText("coordinator");
    var names =
        new LinkedHashSet<>(
            Stream.of("collectors", "learners")
                .flatMap(field -> fields.texts(field).stream())
                .toList());
    var job = coordinator.map(name -> lookup.jobOf(lookup.pod(namespace, name)));
    job.ifPresent(caller::require);
    var pods = new ArrayList<Pod>();
    for (var name : names) {
      var seen = view.pod(namespace, name);
      if (seen.isEmpty() && job.filter(of -> isNamedAfter(of, name)).isPresent()) {
        // Another has come in its place by now.
        continue;
      }
      var pod = seen.or(() -> lookup.find(namespace, name));
      var worker =
          pod.filter(found -> Workers.Kind.of(found).isPresent())
              .orElseThrow(() ->
                  RefusedException.notFound(
                      "there is no collector or learner %s/%s".formatted(namespace, name)));
      var owner = job.isPresent() ? job.get() : lookup.jobOf(worker);
      caller.require(owner);
      if (!Ownership.isOwned(worker, owner.getMetadata().getUid())) {
        throw RefusedException.notFound(
            "pod %s is none of DIJob %s".formatted(name, owner.getMetadata().getName()));
      }
      job = Optional.of(owner);
      pods.add(worker);
    }
    return job.filter(_ -> !names.isEmpty())
        .map(of -> new Report(namespace, coordinator.orElse(""), of, pods));
  }

  private static boolean isNamedAfter(DIJob job, String pod) {
    return pod.startsWith(job.getMetadata().getName() + "-");
  }

  /**
   * The pods that have come in place of the lost ones; empty while it is not known of all.
   *
   * @param isLast whether those that are there are enough
   */
  private Optional<List<Pod>> successors(
      DIJob job, Set<Worker> before, Set<String> lost, boolean isLast) {
    var seen = view.newest(job);
    if (seen.isEmpty()) {
      return Optional.empty();
    }
    var now = Workers.of(seen.get());
    if (!isLast && now.stream().anyMatch(worker -> lost.contains(worker.name()))) {
      return Optional.empty();
    }
    var pods = new ArrayList<Pod>();
    for (var worker : now) {
      if (!before.contains(worker)) {
        var pod = view.pod(job.getMetadata().getNamespace(), worker.name());
        if (pod.isEmpty() && !isLast) {
          return Optional.empty();
        }
        pod.ifPresent(pods::add);
      }
    }
    return Optional.of(pods);
  }

  private static DiReply recreated(Report report, List<Pod> successors) {
    var urls = new Urls();
    for (var pod : successors) {
      Workers.Kind.of(pod).ifPresent(kind -> urls.add(kind, PodUrls.ofService(pod)));
    }
    return urls.done("successfully recreate replicas", report.namespace(), report.coordinator());
  }
}
