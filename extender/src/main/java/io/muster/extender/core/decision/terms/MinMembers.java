package io.muster.extender.core.decision.terms;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many members of which gang and role must start together: of each gang its minAvailable, among
 * them the minimum of each role. Several gangs form a group that starts as one. Immutable.
 */
public record MinMembers(List<Part> parts) {

  /** What one gang of the group needs. */
  record Part(GangId gang, Terms.Usable terms) {}

  public MinMembers {
    parts = List.copyOf(parts);
  }

  /** Members that start together at least. */
  public int size() {
    return parts.stream().mapToInt(part -> part.terms().minAvailable()).sum();
  }

  /** How many more members are needed beside these. */
  public int missing(Collection<Pod> have) {
    int missing = 0;
    for (var part : parts) {
      var need = new Need(part, have);
      missing += need.ofRoles() + need.ofAny;
    }
    return missing;
  }

  /**
   * The first of the candidates that are needed beside those there are, in their order; fewer than
   * {@link #missing} if there are not enough.
   */
  public List<Pod> choose(Collection<Pod> have, List<Pod> candidates) {
    var chosen = new ArrayList<Pod>();
    for (var part : parts) {
      var need = new Need(part, have);
      var others = new ArrayList<Pod>();
      for (var pod : candidates) {
        if (pod.isOf(part.gang())) {
          if (need.takes(role(pod))) {
            chosen.add(pod);
          } else {
            others.add(pod);
          }
        }
      }
      others.stream().limit(need.ofAny).forEach(chosen::add);
    }
    if (parts.size() == 1 && parts.getFirst().terms().roles().isEmpty()) {
      return chosen;
    }
    var uids = new HashSet<String>();
    chosen.forEach(pod -> uids.add(pod.key().uid()));
    return candidates.stream().filter(pod -> uids.contains(pod.key().uid())).toList();
  }

  private static String role(Pod pod) {
    return pod.membership().map(Membership::role).orElse("");
  }

  /** What a part still needs. */
  private static final class Need {

    private final Map<String, Integer> byRole;
    private final int ofAny;

    Need(Part part, Collection<Pod> have) {
      var there = new HashMap<String, Integer>();
      int all = 0;
      for (var pod : have) {
        if (pod.isOf(part.gang())) {
          there.merge(role(pod), 1, Integer::sum);
          all++;
        }
      }
      byRole = new TreeMap<>();
      part.terms()
          .roles()
          .forEach((role, min) -> {
            int more = min - there.getOrDefault(role, 0);
            if (more > 0) {
              byRole.put(role, more);
            }
          });
      ofAny = Math.max(0, part.terms().minAvailable() - all - ofRoles());
    }

    int ofRoles() {
      int all = 0;
      for (int more : byRole.values()) {
        all += more;
      }
      return all;
    }

    boolean takes(String role) {
      int more = byRole.getOrDefault(role, 0);
      byRole.put(role, more - 1);
      return more > 0;
    }
  }
}
