package io.muster.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which pods of a namespace there are now, from one watch: cheap enough to be asked every second.
 * Safe for concurrent use.
 */
final class PodTally implements ResourceEventHandler<Pod>, AutoCloseable {

  private static final BigDecimal MILLI = BigDecimal.valueOf(1_000);

  private final Map<String, Seen> pods = new HashMap<>();
  private final Set<String> everLeaving = new HashSet<>();
  private final SharedIndexInformer<Pod> informer;

  /**
   * A pod.
   *
   * @param hasStarted whether its containers have, be it on its way out or not
   */
  record Seen(String name, int cpuMillis, boolean hasNode, boolean hasStarted, boolean isLeaving) {

    boolean isUp() {
      return hasStarted && !isLeaving;
    }

    boolean isOf(String part) {
      return name.startsWith(part);
    }
  }

  /** Returns once all pods that there are have been told. */
  PodTally(KubernetesClient client, String namespace) {
    informer = client.pods().inNamespace(namespace).inform(this);
  }

  synchronized long count(Predicate<Seen> which) {
    return pods.values().stream().filter(which).count();
  }

  /** CPU that pods which have started ask for, in thousandths of a core. */
  synchronized long cpuStarted() {
    return pods.values().stream().filter(Seen::hasStarted).mapToLong(Seen::cpuMillis).sum();
  }

  /** Pods that had a node and were told to leave, gone by now or not. */
  synchronized long left(String part) {
    return everLeaving.stream().filter(name -> name.contains(part)).count();
  }

  private static int cpuMillis(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .flatMap(container ->
            Optional.ofNullable(container.getResources())
                .map(ResourceRequirements::getRequests)
                .map(requests -> requests.get("cpu"))
                .stream())
        .mapToInt(cpu -> cpu.getNumericalAmount().multiply(MILLI).intValue())
        .sum();
  }

  private synchronized void take(Pod pod) {
    var seen =
        new Seen(
            pod.getMetadata().getName(),
            cpuMillis(pod),
            pod.getSpec().getNodeName() != null,
            "Running".equals(pod.getStatus().getPhase()),
            pod.getMetadata().getDeletionTimestamp() != null);
    pods.put(pod.getMetadata().getUid(), seen);
    if (seen.isLeaving && seen.hasNode) {
      everLeaving.add(seen.name + " " + pod.getMetadata().getUid());
    }
  }

  @Override
  public void onAdd(Pod pod) {
    take(pod);
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    take(pod);
  }

  @Override
  public synchronized void onDelete(Pod pod, boolean isStateUnknown) {
    pods.remove(pod.getMetadata().getUid());
  }

  @Override
  public void close() {
    informer.close();
  }
}
