package io.muster.webhook.core;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.NvlinkDomain.Word;
import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.core.facts.PodFacts.ClaimFacts;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Has members that ask for GPUs claim a channel of their gang's NVLink domain. The template of the
 * claim goes by a name that follows from the gang's; the domain is made when the gang starts. A pod
 * that brings a channel of its own is left alone. Stateless.
 */
final class NvlinkClaims {

  /** The claim's name in the pod. */
  static final String ENTRY = "muster-nvlink-domain";

  /** What NVIDIA's manuals have in the names of such claims and templates. */
  private static final Pattern CHANNEL = Pattern.compile("compute-domain|computedomain|imex");

  private NvlinkClaims() {}

  /**
   * Whether the pod claims its gang's domain, or is to.
   *
   * @param absence why the cluster has no NVLink domains; empty if it has
   */
  static boolean apply(PodFacts facts, Optional<String> absence) {
    return facts
        .pod()
        .membership()
        .filter(member -> asks(member, facts))
        .filter(member ->
            member.nvlink().word() == Word.REQUIRED || absence.isEmpty() || isThere(facts))
        .isPresent();
  }

  /** Adds the claim, or says why there is none. */
  static void add(Draft draft, Membership member, Optional<String> absence) {
    var facts = draft.facts();
    if (apply(facts, absence)) {
      draft.edits.by(Rule.NVLINK).claim(ENTRY, NvlinkDomain.nameOf(member.gang()));
      users(draft.containers()).forEach(container -> draft.edits.useClaim(container, ENTRY));
    } else if (asks(member, facts)) {
      draft.warn(
          "%s: %s, and no NVLink domain is claimed: %s"
              .formatted(GangKeys.NVLINK_DOMAIN, Word.AUTO.text(), absence.orElse("")));
    }
  }

  private static boolean asks(Membership member, PodFacts facts) {
    return member.nvlink().word().asks()
        && !users(Injectable.of(facts, _ -> false)).isEmpty()
        && facts.spec().claims().stream().noneMatch(NvlinkClaims::isChannel);
  }

  private static boolean isThere(PodFacts facts) {
    return facts.spec().claims().stream().anyMatch(claim -> claim.name().equals(ENTRY));
  }

  private static boolean isChannel(ClaimFacts claim) {
    return !claim.name().equals(ENTRY)
        && CHANNEL.matcher(String.join(" ", claim.name(), claim.template(), claim.claim())).find();
  }

  /** Those that ask for GPUs; where none does, those with claims, which may be for GPUs. */
  private static List<Injectable> users(List<Injectable> containers) {
    var own = containers.stream().filter(container -> container.sort() != Sort.FOREIGN).toList();
    var asking = own.stream().filter(Injectable::asksNvidia).toList();
    return asking.isEmpty()
        ? own.stream()
            .filter(container ->
                container.facts().resources().claims().stream().anyMatch(it -> !it.equals(ENTRY)))
            .toList()
        : asking;
  }
}
