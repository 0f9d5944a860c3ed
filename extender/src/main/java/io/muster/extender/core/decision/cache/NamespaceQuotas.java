package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Resources;
import java.util.HashMap;
import java.util.Map;

/**
 * What ResourceQuotas leave, by namespace. Nobody waits for them, so that a change costs the entry
 * alone. Confined to the decision thread.
 */
public final class NamespaceQuotas {

  private final Map<String, Map<String, NamespaceQuota>> byNamespace = new HashMap<>();

  public void seen(NamespaceQuota quota) {
    byNamespace.computeIfAbsent(quota.namespace(), _ -> new HashMap<>()).put(quota.name(), quota);
  }

  public void gone(String namespace, String name) {
    byNamespace.computeIfPresent(
        namespace,
        (_, quotas) -> {
          quotas.remove(name);
          return quotas.isEmpty() ? null : quotas;
        });
  }

  /** Whether the namespace has any. */
  public boolean limit(String namespace) {
    return byNamespace.containsKey(namespace);
  }

  /** Whether each of the namespace lets such a pod be made after these others. */
  public boolean admit(String namespace, Resources asked, Resources others) {
    return byNamespace.getOrDefault(namespace, Map.of()).values().stream()
        .allMatch(quota -> quota.admits(asked, others));
  }
}
