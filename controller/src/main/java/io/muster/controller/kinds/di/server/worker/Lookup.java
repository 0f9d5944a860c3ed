package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.call.JobId;
import io.muster.controller.kinds.di.server.call.RefusedException;
import java.util.List;
import java.util.Optional;

/**
 * Finds what callers name: first where the watches keep it, then at the API server, since who asks
 * may be younger than what the watches have shown. Safe for concurrent use.
 */
public final class Lookup {

  private static final String KIND = "DIJob";
  private static final List<String> ENDS = List.of("Succeeded", "Failed");

  private final DiView view;
  private final DiStore store;

  Lookup(DiView view, DiStore store) {
    this.view = view;
    this.store = store;
  }

  /** A coordinator and its job. */
  record Coordinated(DIJob job, Pod coordinator) {}

  /** Refuses a caller who may not reach it. */
  Coordinated coordinator(String namespace, String name, Caller caller) {
    caller.requireNamespace(namespace);
    var pod = pod(namespace, name);
    if (!CoordinatorNames.type(pod).equals(CoordinatorNames.COORDINATOR)) {
      throw RefusedException.notFound("pod %s is no coordinator".formatted(name));
    }
    var found = new Coordinated(jobOf(pod), pod);
    caller.require(found.job());
    return found;
  }

  Pod pod(String namespace, String name) {
    return find(namespace, name)
        .orElseThrow(
            () -> RefusedException.notFound("there is no pod %s/%s".formatted(namespace, name)));
  }

  Optional<Pod> find(String namespace, String name) {
    JobId.requireNamespace(namespace);
    return JobId.isName(name)
        ? view.pod(namespace, name).or(() -> store.pod(namespace, name))
        : Optional.empty();
  }

  /** The job that a pod belongs to. */
  DIJob jobOf(Pod pod) {
    var metadata = pod.getMetadata();
    var owner =
        metadata.getOwnerReferences().stream()
            .filter(reference -> KIND.equals(reference.getKind()))
            .filter(reference -> reference.getApiVersion().startsWith(DIJob.GROUP + "/"))
            .findFirst()
            .orElseThrow(() ->
                RefusedException.notFound(
                    "pod %s belongs to no DIJob".formatted(metadata.getName())));
    return of(metadata.getNamespace(), owner)
        .orElseThrow(() ->
            RefusedException.notFound("the DIJob of pod %s is gone".formatted(metadata.getName())));
  }

  private Optional<DIJob> of(String namespace, OwnerReference owner) {
    return view.job(namespace, owner.getName())
        .filter(job -> job.getMetadata().getUid().equals(owner.getUid()))
        .or(() -> store.job(namespace, owner.getName()))
        .filter(job -> job.getMetadata().getUid().equals(owner.getUid()));
  }

  Optional<DIJob> job(String namespace, String name) {
    return view.job(namespace, name).or(() -> store.job(namespace, name));
  }

  /** Refuses to do anything about a job that has ended. */
  static void requireLive(DIJob job) {
    var phase = job.getStatus() == null ? null : job.getStatus().phase();
    if (phase != null && ENDS.contains(phase)) {
      throw RefusedException.later(
          "DIJob %s has ended (%s); create another".formatted(job.getMetadata().getName(), phase));
    }
  }
}
