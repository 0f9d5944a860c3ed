package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

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
}
