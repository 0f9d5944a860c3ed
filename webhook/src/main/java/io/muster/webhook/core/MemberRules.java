package io.muster.webhook.core;

import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.Siblings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is to be said about a member beside the terms that it states. Refused is only what would
 * keep its gang from ever being whole; where nothing is known of the others, they are taken to be
 * like it.
 */
final class MemberRules {

  private MemberRules() {}

  /** Why the member cannot be one, with what to mend. */
  static Optional<String> refusal(PodFacts facts, Membership member, Optional<Siblings> siblings) {
    var gang = member.gang();
    if ("false".equals(facts.markings().labels().get(GangKeys.INJECT))) {
      return Optional.of(
          ("gang \"%s\": label %s is false, but one member cannot opt out; take the label off, or"
                  + " label the namespace muster.io/injection=disabled")
              .formatted(gang, GangKeys.INJECT));
    }
    var own = facts.pod().origin().schedulerName();
    var others = siblings.map(Siblings::schedulerName).filter(name -> !name.equals(own));
    if (others.isPresent()) {
      return Optional.of(
          ("gang \"%s\": spec.schedulerName is \"%s\", but its other members name \"%s\"; all"
                  + " members need the same")
              .formatted(gang, own, others.get()));
    }
    if (siblings.filter(known -> known.members() >= Terms.MAX_MEMBERS).isPresent()) {
      return Optional.of(
          "gang \"%s\": it has %d members already, which is the most; make several gangs"
              .formatted(gang, Terms.MAX_MEMBERS));
    }
    return Optional.empty();
  }

  /** What the user may not expect of a member that is let in. */
  static List<String> warnings(PodFacts facts, Membership member, Optional<Siblings> siblings) {
    if (!(member.terms() instanceof Terms.Usable terms)) {
      return List.of();
    }
    var gang = member.gang();
    var said = new ArrayList<String>();
    siblings
        .map(Siblings::minAvailable)
        .filter(inForce -> inForce > 0 && inForce != terms.minAvailable())
        .ifPresent(inForce ->
            said.add(
                "gang \"%s\": the minimum is %d here, but %d was stated first and stays in force"
                    .formatted(gang, terms.minAvailable(), inForce)));
    if (terms.totalMembers() > 1) {
      var ports =
          facts.pod().demand().requests().hostPorts().stream()
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
