package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.kube.convert.PodConverter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What pods meant when they were last read. Most changes of a pod are to its status alone: then who
 * it is and what it asks for need not be read again, unless the status names its claims, and where
 * its progress is the same too there is nothing to tell. Safe for concurrent use.
 */
public final class PodMemory {

  private final PodConverter translation;
  private final Map<String, io.muster.extender.core.cluster.Pod> known = new ConcurrentHashMap<>();

  PodMemory(PodConverter translation) {
    this.translation = translation;
  }

  io.muster.extender.core.cluster.Pod read(Pod pod) {
    var read = translation.pod(pod);
    known.put(read.key().uid(), read);
    return read;
  }

  /** The pod after a change; empty if the change means nothing to anybody. */
  Optional<io.muster.extender.core.cluster.Pod> changed(Pod before, Pod now) {
    var last = Optional.ofNullable(known.get(now.getMetadata().getUid()));
    if (last.isEmpty() || !saysTheSame(before, now)) {
      return Optional.of(read(now));
    }
    var progress = translation.progress(now);
    if (last.get().progress().equals(progress)) {
      return Optional.empty();
    }
    var further = last.get().at(progress);
    known.put(further.key().uid(), further);
    return Optional.of(further);
  }

  /**
   * Units of the resource that the pod asks for; 0 of one that has ended, is not known, or is on
   * another node: somebody may have sent it past kube-scheduler to one that its claim is not for.
   */
  long units(String uid, String node, String resource) {
    return Optional.ofNullable(known.get(uid))
        .filter(pod -> !pod.isTerminal())
        .filter(pod -> pod.progress().nodeName().filter(on -> !on.equals(node)).isEmpty())
        .map(pod -> pod.demand().requests().of(resource))
        .orElse(0L);
  }

  /** Those that ask for a resource whose name begins so. */
  List<PodKey> asking(String prefix) {
    return known.values().stream()
        .filter(pod ->
            pod.demand().requests().extended().keySet().stream()
                .anyMatch(name -> name.startsWith(prefix)))
        .map(io.muster.extender.core.cluster.Pod::key)
        .toList();
  }

  void forget(String uid) {
    known.remove(uid);
  }

  private static boolean saysTheSame(Pod before, Pod now) {
    return saysTheSame(before.getMetadata(), now.getMetadata())
        && Objects.equals(before.getSpec(), now.getSpec())
        && claims(before).equals(claims(now));
  }

  /** Those that were made for it: what they ask for counts in place of their templates. */
  private static List<PodResourceClaimStatus> claims(Pod pod) {
    return pod.getStatus() == null ? List.of() : pod.getStatus().getResourceClaimStatuses();
  }

  private static boolean saysTheSame(ObjectMeta before, ObjectMeta now) {
    return Objects.equals(before.getUid(), now.getUid())
        && Objects.equals(before.getLabels(), now.getLabels())
        && Objects.equals(before.getAnnotations(), now.getAnnotations())
        && Objects.equals(before.getOwnerReferences(), now.getOwnerReferences());
  }
}
