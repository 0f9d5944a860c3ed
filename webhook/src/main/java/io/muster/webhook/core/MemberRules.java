package io.muster.webhook.core;

import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.webhook.core.facts.PodFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is to be said about a member beside the terms that it states, from the member alone. Refused
 * is only what would keep its gang from ever being whole.
 */
final class MemberRules {

  /** Names that browsers take out of the address of a page. */
  private static final Set<String> DOTS = Set.of(".", "..");

  private MemberRules() {}

  /** Why the member cannot be one, with what to mend. */
  static Optional<String> refusal(PodFacts facts, Membership member) {
    var gang = member.gang();
    if (DOTS.contains(gang.name())) {
      return Optional.of(
          "gang \"%s\": the name of a gang cannot be . or .., which no address can end with"
              .formatted(gang));
    }
    boolean optsOut = "false".equals(facts.markings().labels().get(GangKeys.INJECT));
    if (optsOut && !isInferred(facts, gang)) {
      return Optional.of(
          ("gang \"%s\": label %s is false, but one member cannot opt out; take the label off, or"
                  + " label the namespace muster.io/injection=disabled")
              .formatted(gang, GangKeys.INJECT));
    }
    return Optional.empty();
  }

  /** Nobody has named the gang, now or before the pod was stamped: the label is not heeded. */
  private static boolean isInferred(PodFacts facts, GangId gang) {
    return gang.dialect() == Dialect.OWNER
        && (facts.inferredOwner().isPresent()
            || facts.markings().annotations().containsKey(GangKeys.INJECTED));
  }

  /** What the user may not expect of a member that is let in. */
  static List<String> warnings(PodFacts facts, Membership member) {
    var said = new ArrayList<String>();
    OwnKeys.misspelt(facts.markings()).ifPresent(said::add);
    if (!(member.terms() instanceof Terms.Usable terms)) {
      return said;
    }
    var gang = member.gang();
    if (terms.totalMembers() > 1) {
      var ports =
          facts.pod().demand().requests().hostPorts().stream()
              .filter(HostPort::isPort)
              .map(HostPort::port)
              .distinct()
              .sorted()
              .map(String::valueOf)
              .collect(Collectors.joining(", "));
      if (!ports.isEmpty()) {
        said.add(
            "gang \"%s\": members take port %s of their node, so no two of them share a node"
                .formatted(gang, ports));
      } else if (facts.spec().text("hostNetwork").equals("true")) {
        said.add(
            "gang \"%s\": spec.hostNetwork is set; members on one node must not listen on one port"
                .formatted(gang));
      }
    }
    return said;
  }
}
