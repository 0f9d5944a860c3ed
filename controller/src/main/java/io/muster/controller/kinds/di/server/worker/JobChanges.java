package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Rejection;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Writes on jobs. Where somebody else was quicker, what is to be written is decided anew from what
 * is stored. Safe for concurrent use.
 */
public final class JobChanges {

  private static final int TRIES = 8;
  private static final String ANNOTATIONS = "/metadata/annotations";

  private final DiStore store;

  JobChanges(DiStore store) {
    this.store = store;
  }

  /**
   * What is to be written.
   *
   * @param edits none if the job is as it is to be
   * @param result for who asked for it
   */
  record Change<T>(List<DiStore.Edit> edits, T result) {}

  /**
   * What was written.
   *
   * @param before the job as the change found it
   */
  record Changed<T>(DIJob before, DIJob after, T result) {}

  /** Changes what is wanted of a job, beginning with what is known of it. */
  <T> Changed<T> change(DIJob known, Function<DIJob, Change<T>> change) {
    return change(known, change, store::edit);
  }

  /** The same with its status. */
  <T> Changed<T> changeStatus(DIJob known, Function<DIJob, Change<T>> change) {
    return change(known, change, store::editStatus);
  }

  private <T> Changed<T> change(
      DIJob known,
      Function<DIJob, Change<T>> change,
      BiFunction<DIJob, List<DiStore.Edit>, DIJob> write) {
    var job = known;
    for (int i = 0; i < TRIES; i++) {
      var wanted = change.apply(job);
      if (wanted.edits().isEmpty()) {
        return new Changed<>(job, job, wanted.result());
      }
      try {
        return new Changed<>(job, write.apply(job, wanted.edits()), wanted.result());
      } catch (KubernetesClientException e) {
        if (Rejection.of(e) != Rejection.CONFLICT) {
          throw e;
        }
        job = store.newest(known).orElseThrow(() -> deleted(known));
      }
    }
    throw RefusedException.later("others keep changing this job; ask again");
  }

  static RefusedException deleted(DIJob job) {
    return RefusedException.later("DIJob %s was deleted".formatted(job.getMetadata().getName()));
  }

  /** Puts an annotation on a job. */
  static List<DiStore.Edit> annotation(DIJob job, String key, String value) {
    if (Marks.annotations(job).isEmpty()) {
      return List.of(new DiStore.Edit(ANNOTATIONS, Map.of(key, value)));
    }
    var pointer = key.replace("~", "~0").replace("/", "~1");
    return List.of(new DiStore.Edit(ANNOTATIONS + "/" + pointer, value));
  }

  /**
   * Puts these requests on a job in place of those that it has, but not over something that nobody
   * can read: its writer may have meant something by it.
   */
  static List<DiStore.Edit> requests(DIJob job, WorkerRequests requests) {
    WorkerRequests.unreadable(job)
        .ifPresent(why -> {
          throw RefusedException.later(why);
        });
    return requests.equals(WorkerRequests.of(job))
        ? List.of()
        : annotation(job, WorkerRequests.KEY, requests.written());
  }
}
