package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.Topology;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Members that must be placed together, in one or more parts (the gangs of a group), and nodes they
 * must not use for now. Immutable.
 *
 * @param mayUseKept whether they may have nodes that are kept in reserve for such as them
 */
public record GangRequest(List<Part> parts, Set<String> excludedNodes, boolean mayUseKept) {

  /** Members that are to be close to each other. */
  public record Part(List<Demand> members, Topology topology) {
    public Part {
      members = List.copyOf(members);
    }
  }

  public GangRequest {
    parts = List.copyOf(parts);
    excludedNodes = Set.copyOf(excludedNodes);
  }

  /** Members that start, for whom no node is kept in reserve. */
  public GangRequest(List<Part> parts, Set<String> excludedNodes) {
    this(parts, excludedNodes, false);
  }

  /** One gang whose members may be anywhere. */
  public static GangRequest of(List<Demand> members, Set<String> excludedNodes) {
    return new GangRequest(List.of(new Part(members, Topology.ANYWHERE)), excludedNodes);
  }

  /** All members, part by part. */
  public List<Demand> members() {
    return parts.size() == 1
        ? parts.getFirst().members()
        : parts.stream().flatMap(part -> part.members().stream()).toList();
  }

  /** Names of the extended resources that any member asks for, in order. */
  List<String> resources() {
    var seen = Collections.newSetFromMap(new IdentityHashMap<Demand, Boolean>());
    var names = new TreeSet<String>();
    for (var member : members()) {
      if (seen.add(member)) {
        names.addAll(member.requests().extended().keySet());
      }
    }
    return List.copyOf(names);
  }
}
