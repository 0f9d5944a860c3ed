package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.function.Consumer;

/** Reads all pods of a cluster, a page at a time: there may be more than fit into one answer. */
public final class EveryPod {

  private static final long PAGE = 500;

  private EveryPod() {}

  /** Shows each pod once. */
  public static void of(KubernetesClient client, Consumer<Pod> seen) {
    EveryNode.paged(client.pods().inAnyNamespace(), PAGE, seen);
  }
}
