package io.muster.webhook.core.rendezvous;

import io.muster.webhook.core.rendezvous.OwnerKind.Leaders;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * In what order the roles of a gang are ranked, where positions begin anew in each. Immutable.
 *
 * @param own role of the member, in lower case; empty where it does not say
 * @param stated how many members of each role there are, by names in lower case; may be empty
 * @param told what its job's own controller has told the member as its rank
 */
record RoleOrder(
    Leaders leaders, String own, SortedMap<String, Integer> stated, Optional<Integer> told) {

  static RoleOrder of(Leaders leaders, GangMember member) {
    var stated = new TreeMap<String, Integer>();
    member.terms().roles().forEach((role, count) -> stated.merge(plain(role), count, Integer::sum));
    var own = leaders.role().in(member.markings()).map(RoleOrder::plain).orElse("");
    return new RoleOrder(
        member.hasSeveralRoles() ? leaders.expected() : leaders, own, stated, member.toldRank());
  }

  /** How many members come before those of the own role; empty where that is not known. */
  Optional<Integer> before(int index) {
    var names = leaders.names();
    if (names.contains(own)) {
      return Optional.of(count(names.subList(0, names.indexOf(own))));
    }
    if (stated.isEmpty()) {
      var others = told.map(rank -> rank - index).filter(count -> count >= 0);
      return leaders.areExpected() ? others : others.or(() -> Optional.of(0));
    }
    return own.isEmpty() || followers().size() == 1 ? Optional.of(count(names)) : Optional.empty();
  }

  /** The role of member 0; empty where that is not known. */
  Optional<String> first(OptionalInt index) {
    if (stated.isEmpty() && !leaders.names().contains(own)) {
      if (index.isPresent() && before(index.getAsInt()).filter(count -> count > 0).isPresent()) {
        return Optional.of(leaders.names().getFirst());
      }
      return leaders.areExpected() ? Optional.empty() : Optional.of(own);
    }
    return leaders.names().stream()
        .filter(name -> name.equals(own) || stated.containsKey(name))
        .findFirst()
        .or(() -> Optional.of(followers()).filter(all -> all.size() == 1).map(TreeSet::first));
  }

  /** The roles that do not lead, of which none is known to come before another. */
  private TreeSet<String> followers() {
    var roles = new TreeSet<>(stated.keySet());
    if (!own.isEmpty()) {
      roles.add(own);
    }
    leaders.names().forEach(roles::remove);
    return roles;
  }

  private int count(List<String> roles) {
    return stated.entrySet().stream()
        .filter(entry -> roles.contains(entry.getKey()))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  private static String plain(String role) {
    return role.toLowerCase(Locale.ROOT);
  }
}
