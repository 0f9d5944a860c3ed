package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.Counted;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Devices of nodes that cannot be counted, where they might be what a request lacks. Stateless. */
final class Uncounted {

  /** Why devices are not counted, in one sentence. */
  private static final int MOST_REASONS = 3;

  private Uncounted() {}

  /** Why devices that are asked for cannot be counted there; empty if all can. */
  static Optional<String> of(List<NodeState> rooms, Resources asked) {
    var why = new TreeSet<String>();
    int nodes = 0;
    for (var room : rooms) {
      var known = room.node().uncounted();
      if (known.isEmpty()) {
        continue;
      }
      var ofThis = asked.extended().keySet().stream().filter(known::containsKey).toList();
      ofThis.forEach(name -> why.add(known.get(name)));
      nodes += ofThis.isEmpty() ? 0 : 1;
    }
    return nodes == 0
        ? Optional.empty()
        : Optional.of(
            "devices of %s cannot be counted: %s".formatted(Counted.of(nodes, "node"), few(why)));
  }

  private static String few(Set<String> reasons) {
    var first = reasons.stream().limit(MOST_REASONS).collect(Collectors.joining(", "));
    int more = reasons.size() - MOST_REASONS;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }
}
