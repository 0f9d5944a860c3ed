package io.muster.webhook.core.rendezvous;

import io.muster.webhook.core.rendezvous.Meeting.OwnDomain;
import io.muster.webhook.core.rendezvous.OwnerKind.LeaderAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The host names of a member's siblings, which end in their positions as its own does. Immutable.
 *
 * @param stem what comes before the position
 * @param domain the Service that knows the names
 * @param own what Muster has to write into the pod for that
 */
record Addresses(String stem, String domain, Optional<OwnDomain> own) {

  private static final Pattern LABEL = Pattern.compile("\\{([^}]+)}");

  /** The address of one sibling. */
  String of(int index) {
    return "%s-%d.%s".formatted(stem, index, domain);
  }

  /** The addresses of so many siblings from the first. */
  List<String> first(int count, int port) {
    return IntStream.range(0, count).mapToObj(i -> of(i) + ":" + port).toList();
  }

  /** Those of members of another role; empty where the names do not contain the own one. */
  Optional<Addresses> of(String role, String ownRole) {
    if (role.equals(ownRole)) {
      return Optional.of(this);
    }
    return ownRole.isEmpty() || !stem.endsWith("-" + ownRole)
        ? Optional.empty()
        : Optional.of(
            new Addresses(stem.substring(0, stem.length() - ownRole.length()) + role, domain, own));
  }

  /**
   * The siblings' names as this member's own lets them be known; empty where its name does not end
   * in its position, or nobody would resolve the names.
   */
  static Optional<Addresses> of(GangMember member, Position position) {
    var host = member.hostname().isEmpty() ? member.podName() : member.hostname();
    var end = "-" + position.index();
    if (!GangService.isHost(host) || !host.endsWith(end) || host.length() == end.length()) {
      return Optional.empty();
    }
    var stem = host.substring(0, host.length() - end.length());
    var service = GangService.nameOf(member.gang());
    if (member.subdomain().isEmpty() || isOwn(member)) {
      return Optional.of(new Addresses(stem, service, Optional.of(new OwnDomain(service, host))));
    }
    return member.hostname().isEmpty()
        ? Optional.empty()
        : Optional.of(new Addresses(stem, member.subdomain(), Optional.empty()));
  }

  /** Whether Muster has written the subdomain, into this pod or the one it was copied from. */
  private static boolean isOwn(GangMember member) {
    return member.subdomain().equals(member.markings().labels().get(GangService.LABEL));
  }

  /** The address of the first member, of that role, where its kind has a form for it. */
  static Optional<String> of(LeaderAddress form, GangMember member, Optional<String> role) {
    if (form.host().contains(LeaderAddress.ROLE) && role.isEmpty()) {
      return Optional.empty();
    }
    return filled(form.host().replace(LeaderAddress.ROLE, role.orElse("")), member)
        .flatMap(host -> {
          if (form.domain().isEmpty()) {
            return Optional.of(host);
          }
          return member.subdomain().isEmpty()
              ? filled(form.domain(), member).map(domain -> host + "." + domain)
              : Optional.of(host + "." + member.subdomain());
        });
  }

  private static Optional<String> filled(String form, GangMember member) {
    var labels = member.markings().labels();
    var keys = LABEL.matcher(form).results().map(found -> found.group(1)).toList();
    if (!labels.keySet().containsAll(keys)) {
      return Optional.empty();
    }
    var text = form;
    for (var key : keys) {
      text = text.replace("{" + key + "}", labels.get(key));
    }
    return Optional.of(text);
  }
}
