package io.muster.extender.http;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/**
 * A call of filter or prioritize: the pod and the names of the nodes offered. Immutable.
 *
 * @param namesGiven whether the call carries names at all, as it does with nodeCacheCapable
 */
record NodesCall(Pod pod, List<String> names, boolean namesGiven) {
  NodesCall {
    names = List.copyOf(names);
  }
}
