package io.muster.extender.http;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.extender.core.cluster.PodKey;
import java.util.List;
import java.util.function.Supplier;

/**
 * A call of filter or prioritize: the pod and the names of the nodes offered. Immutable.
 *
 * @param pod reads the whole pod, which is seldom needed; fails if it is malformed
 * @param namesGiven whether the call carries names at all, as it does with nodeCacheCapable
 */
record NodesCall(PodKey key, Supplier<Pod> pod, List<String> names, boolean namesGiven) {
  NodesCall {
    names = List.copyOf(names);
  }
}
