package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.MainContainer;
import io.muster.controller.kube.Marks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where the pods of a job are reached, in the form that DI-engine takes. */
public final class PodUrls {

  private PodUrls() {}

  /** Of a pod of a job with a coordinator, by its Service. */
  public static String ofService(Pod pod) {
    return ofService(pod, pod.getMetadata().getName());
  }

  /** The same for one that is called otherwise and comes of the same template. */
  public static String ofService(Pod pod, String name) {
    return name + "." + pod.getMetadata().getNamespace() + ":" + port(pod);
  }

  /** Of each process of a pod behind an aggregator: one a GPU. */
  public static List<String> ofProcesses(Pod pod) {
    var urls = new ArrayList<String>();
    var host = pod.getMetadata().getName() + "." + pod.getMetadata().getNamespace();
    int first = port(pod);
    for (int i = 0; i < Math.max(1, RolePods.gpus(pod, CoordinatorNames.type(pod))); i++) {
      urls.add(host + ":" + (first + i));
    }
    return urls;
  }

  private static int port(Pod pod) {
    var work = CoordinatorNames.work(CoordinatorNames.type(pod));
    return MainContainer.port(pod.getSpec(), work, CoordinatorNames.port(work));
  }

  /** Of a pod of a job with tasks or copies, by its address; empty if it has none. */
  public static Optional<String> byAddress(Pod pod) {
    var task = Marks.labels(pod).getOrDefault(DiNames.TASK_LABEL, DiNames.COPY);
    return Optional.ofNullable(pod.getStatus().getPodIP())
        .filter(ip -> !ip.isEmpty())
        .map(ip -> ip.contains(":") ? "[" + ip + "]" : ip)
        .map(ip -> ip + ":" + MainContainer.port(pod.getSpec(), task, DiNames.PORT));
  }
}
