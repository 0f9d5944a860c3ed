package io.muster.deploy.board;

import io.muster.extender.core.cluster.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Pods as the board looks them up. Stateless. */
final class Pods {

  private Pods() {}

  static Map<String, List<Pod>> byNamespace(Collection<Pod> pods) {
    return pods.stream().collect(Collectors.groupingBy(pod -> pod.key().namespace()));
  }
}
