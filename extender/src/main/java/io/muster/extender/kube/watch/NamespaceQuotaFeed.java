package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.ApiFields;
import io.muster.extender.kube.convert.Amounts;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Tells how many devices ResourceQuotas leave, and only when that changes: their status does with
 * each pod. Where Muster may not read them, it knows of none. Safe for concurrent use.
 */
public final class NamespaceQuotaFeed implements AutoCloseable {

  private static final String REQUESTS = "requests.";
  private static final Amounts AMOUNTS = new Amounts();

  private final KubernetesClient client;
  private final Consumer<Event> told;
  private final Runnable listed;
  private final SideWatches watches;

  /** What was told last of each that limits devices. */
  private final Map<Id, NamespaceQuota> known = new ConcurrentHashMap<>();

  private record Id(String namespace, String name) {}

  /**
   * @param listed is run once all have been told, or it is certain that they may not be read
   */
  NamespaceQuotaFeed(KubernetesClient client, Consumer<Event> told, Runnable listed) {
    this.client = client;
    this.watches = new SideWatches(client);
    this.told = told;
    this.listed = listed;
  }

  /** Begins to watch; returns at once. */
  void start() {
    watches.open(
        client.resourceQuotas().inAnyNamespace(),
        found -> tell(found, read(found)),
        found -> tell(found, Optional.empty()),
        listed);
  }

  private void tell(ResourceQuota found, Optional<NamespaceQuota> now) {
    var id = new Id(found.getMetadata().getNamespace(), found.getMetadata().getName());
    var before = now.isPresent() ? known.put(id, now.get()) : known.remove(id);
    if (!now.equals(Optional.ofNullable(before))) {
      told.accept(
          now.<Event>map(Event.NamespaceQuotaSeen::new)
              .orElseGet(() -> new Event.NamespaceQuotaGone(id.namespace(), id.name())));
    }
  }

  /** What it leaves; empty if it limits no devices, or not those of every pod. */
  public static Optional<NamespaceQuota> read(ResourceQuota found) {
    if (found.getSpec() == null || isScoped(found.getSpec())) {
      return Optional.empty();
    }
    var hard = ApiFields.present(found.getSpec().getHard());
    var used = ApiFields.present(found.getStatus() == null ? null : found.getStatus().getUsed());
    var left = new TreeMap<String, Long>();
    for (var name : hard.keySet()) {
      if (name.startsWith(REQUESTS) && Accelerators.isManaged(name.substring(REQUESTS.length()))) {
        left.put(name.substring(REQUESTS.length()), AMOUNTS.left(name, hard, used));
      }
    }
    return left.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new NamespaceQuota(
                found.getMetadata().getNamespace(), found.getMetadata().getName(), left));
  }

  private static boolean isScoped(ResourceQuotaSpec spec) {
    var selector = spec.getScopeSelector();
    return !spec.getScopes().isEmpty()
        || (selector != null && !selector.getMatchExpressions().isEmpty());
  }

  @Override
  public void close() {
    watches.close();
  }
}
