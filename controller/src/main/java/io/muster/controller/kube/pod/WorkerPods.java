package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.Resize;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Pods of a job, for those who share the room out. */
public final class WorkerPods {

  private WorkerPods() {}

  /** The highest of their priorities. */
  public static int priority(Collection<Pod> pods) {
    return pods.stream()
        .mapToInt(pod -> Objects.requireNonNullElse(pod.getSpec().getPriority(), 0))
        .max()
        .orElse(0);
  }

  /** The same pods in their order. */
  public static List<Worker> of(Collection<Pod> pods) {
    return pods.stream()
        .map(Pod::getMetadata)
        .map(pod ->
            new Worker(pod.getName(), pod.getUid(), Instant.parse(pod.getCreationTimestamp())))
        .toList();
  }

  /**
   * How many workers were asked for whose pods are not there yet.
   *
   * @param asked resizes that have not ended
   * @param size of the job by now
   * @param there names of the pods that are there
   */
  public static int coming(List<Resize> asked, int size, Set<String> there) {
    int coming = 0;
    for (var resize : asked) {
      int count =
          switch (resize.request().change()) {
            case Change.Add(int more) -> more;
            case Change.AddLost(int more) -> more;
            case Change.To(int wanted) -> Math.max(0, wanted - size);
            case Change.Remove _, Change.RemoveNamed _, Change.Unclear _ -> 0;
          };
      long made = resize.plan().stream().filter(there::contains).count();
      coming += Math.max(0, count - (int) made);
    }
    return coming;
  }

  /**
   * Uids of the pods that are on their way out: deleted, or about to be.
   *
   * @param asked resizes that have not ended
   */
  public static List<String> leaving(Collection<Pod> pods, List<Resize> asked) {
    var names = new HashSet<String>();
    for (var resize : asked) {
      switch (resize.request().change()) {
        case Change.RemoveNamed(List<String> named) -> names.addAll(named);
        case Change.Remove _ -> names.addAll(resize.plan());
        case Change.Add _, Change.AddLost _, Change.To _, Change.Unclear _ -> {}
      }
    }
    return pods.stream()
        .filter(pod -> pod.isMarkedForDeletion() || names.contains(pod.getMetadata().getName()))
        .map(pod -> pod.getMetadata().getUid())
        .toList();
  }
}
