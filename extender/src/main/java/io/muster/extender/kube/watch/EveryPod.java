package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Objects;
import java.util.function.Consumer;

/** Reads all pods of a cluster, a page at a time: there may be more than fit into one answer. */
public final class EveryPod {

  private static final long PAGE = 500;

  private EveryPod() {}

  /** Shows each pod once. */
  public static void of(KubernetesClient client, Consumer<Pod> seen) {
    var from = "";
    do {
      var page =
          client
              .pods()
              .inAnyNamespace()
              .list(new ListOptionsBuilder().withLimit(PAGE).withContinue(from).build());
      page.getItems().forEach(seen);
      from = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
    } while (!from.isEmpty());
  }
}
