package io.muster.extender.core.cluster;

import java.util.Map;
import java.util.TreeMap;

/**
 * A ResourceQuota: so many devices more may pods ask for that are made in its namespace from now
 * on. Immutable.
 *
 * @param left units by the resource's name, at least 0; what is not named is not limited
 */
public record NamespaceQuota(String namespace, String name, Map<String, Long> left) {

  public NamespaceQuota {
    var bounded = new TreeMap<>(left);
    bounded.replaceAll((_, units) -> Math.max(0, units));
    left = Map.copyOf(bounded);
  }

  /** Whether a pod that asks for that may be made after pods that ask for the others together. */
  public boolean admits(Resources asked, Resources others) {
    return left.entrySet().stream()
        .allMatch(limit -> {
          long units = asked.of(limit.getKey());
          return units == 0 || units <= limit.getValue() - others.of(limit.getKey());
        });
  }
}
