package io.muster.extender.core.gang;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a member says beside the terms of its gang, by Muster's own annotations, in any dialect.
 * Immutable.
 *
 * @param roles fewest members of each role that may start; empty to leave it to the terms
 */
public record Beside(
    SortedMap<String, Integer> roles, Optional<Terms.OnLoss> onLoss, Topology topology) {

  /** Of a member that says nothing. */
  public static final Beside NOTHING =
      new Beside(Collections.emptySortedMap(), Optional.empty(), Topology.ANYWHERE);

  public Beside {
    roles = Collections.unmodifiableSortedMap(new TreeMap<>(roles));
  }

  public long ofRoles() {
    return roles.values().stream().mapToLong(Integer::longValue).sum();
  }
}
