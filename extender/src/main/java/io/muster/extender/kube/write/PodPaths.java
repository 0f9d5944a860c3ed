package io.muster.extender.kube.write;

import io.muster.extender.core.cluster.PodKey;

/** Where a pod lies in the API. Stateless; safe for concurrent use. */
public final class PodPaths {

  private PodPaths() {}

  static String of(PodKey pod) {
    return "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
  }

  static String status(PodKey pod) {
    return of(pod) + "/status";
  }

  static String binding(PodKey pod) {
    return of(pod) + "/binding";
  }
}
