package io.muster.extender.core.cluster;

import io.muster.extender.core.cluster.NodeTerm.Requirement;
import java.util.List;

/**
 * A PodDisruptionBudget: of the pods with such labels so many may be ended now by somebody's wish.
 * Immutable.
 *
 * @param selector all of it holds for the labels of a pod that is covered; empty: every pod of the
 *     namespace is
 * @param allowed pods that may be ended now, at least 0
 */
public record Budget(String namespace, String name, List<Requirement> selector, int allowed) {

  public Budget {
    selector = List.copyOf(selector);
    allowed = Math.max(0, allowed);
  }

  /** Whether the end of that pod counts. */
  public boolean covers(Pod pod) {
    return pod.key().namespace().equals(namespace)
        && selector.stream().allMatch(each -> each.holdsFor(pod.origin().labels()));
  }
}
