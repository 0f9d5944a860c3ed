package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.gang.GangKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The queue in which the pods of a job wait: that which the job names, also once it is mended. */
public final class JobQueue {

  /** Annotation of a pod: the queue that its job named for it, whatever others have made of it. */
  public static final String NAMED = "muster.io/job-queue";

  private static final String GATE = io.muster.extender.core.cluster.Pod.GATE;

  private JobQueue() {}

  /** Notes which queue a pod that is to be made has from its job. */
  public static void note(Pod made) {
    queue(made)
        .ifPresent(queue -> {
          var annotations = new TreeMap<>(Marks.annotations(made));
          annotations.put(NAMED, queue);
          made.getMetadata().setAnnotations(annotations);
        });
  }

  /**
   * Those that wait in gangs of which nobody has started, and of which it is not known that
   * somebody else has said in which queue; by their uids.
   */
  public static Map<String, Pod> waiting(List<Pod> pods) {
    var started =
        pods.stream()
            .filter(pod -> !isGated(pod) && !PodEnds.hasEnded(pod))
            .map(JobQueue::gang)
            .collect(Collectors.toSet());
    return pods.stream()
        .filter(pod -> isGated(pod) && !pod.isMarkedForDeletion() && !started.contains(gang(pod)))
        .filter(pod -> said(pod, NAMED).isEmpty() || isJobs(pod))
        .collect(Collectors.toMap(pod -> pod.getMetadata().getUid(), Function.identity()));
  }

  /**
   * What is to be written to the annotations of one of those; null: taken away. Empty if its job
   * names the same queue still. Of a pod that others have made for the job, or an earlier Muster,
   * it is noted that its queue is the job's if that is so; nothing else is known of it.
   *
   * @param now as its job would have it made
   */
  public static Optional<Map<String, String>> change(Pod waiting, Pod now) {
    var queue = queue(now);
    boolean isSame = queue.equals(queue(waiting));
    if (isSame == isJobs(waiting)) {
      return Optional.empty();
    }
    if (isSame) {
      return queue.map(noted -> Map.of(NAMED, noted));
    }
    var annotations = new HashMap<String, String>();
    annotations.put(GangKeys.QUEUE, queue.orElse(null));
    annotations.put(NAMED, queue.orElse(null));
    return Optional.of(annotations);
  }

  private static boolean isJobs(Pod pod) {
    return queue(pod).equals(said(pod, NAMED));
  }

  private static Optional<String> queue(Pod pod) {
    return said(pod, GangKeys.QUEUE);
  }

  private static Optional<String> said(Pod pod, String key) {
    return Optional.ofNullable(Marks.annotations(pod).get(key));
  }

  private static String gang(Pod pod) {
    return Marks.annotations(pod).getOrDefault(GangKeys.NAME, "");
  }

  private static boolean isGated(Pod pod) {
    return pod.getSpec().getSchedulingGates().stream()
        .anyMatch(gate -> GATE.equals(gate.getName()));
  }
}
