package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import java.util.List;
import java.util.Set;

/**
 * Members that must be placed together, in the order in which they are tried, and nodes they must
 * not use for now. Immutable.
 */
public record GangRequest(List<Demand> members, Set<String> excludedNodes) {
  public GangRequest {
    members = List.copyOf(members);
    excludedNodes = Set.copyOf(excludedNodes);
  }
}
