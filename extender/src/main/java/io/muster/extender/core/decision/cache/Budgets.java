package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.Budget;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The PodDisruptionBudgets of the cluster. Confined to the decision thread. */
public final class Budgets {

  private final Map<String, SortedMap<String, Budget>> byNamespace = new HashMap<>();

  public void seen(Budget budget) {
    byNamespace
        .computeIfAbsent(budget.namespace(), _ -> new TreeMap<>())
        .put(budget.name(), budget);
  }

  public void gone(String namespace, String name) {
    var there = byNamespace.getOrDefault(namespace, Collections.emptySortedMap());
    if (there.remove(name) != null && there.isEmpty()) {
      byNamespace.remove(namespace);
    }
  }

  /** Those that may cover pods of this namespace, by name, as a view. */
  public Collection<Budget> of(String namespace) {
    return byNamespace.getOrDefault(namespace, Collections.emptySortedMap()).values();
  }

  public Stream<Budget> all() {
    return byNamespace.values().stream().flatMap(there -> there.values().stream());
  }

  public boolean areNone() {
    return byNamespace.isEmpty();
  }
}
