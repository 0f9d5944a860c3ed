package io.muster.webhook.core.rendezvous;

import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Terms;
import java.util.Optional;

/**
 * What a member's rendezvous is made of. Immutable.
 *
 * @param gang name of its gang
 * @param podName empty where the apiserver will generate it
 * @param hostname as its spec says, or empty
 * @param subdomain as its spec says, or empty
 * @param controller uid of its controller
 * @param toldRank what its job's own controller has written into its environment as its rank
 * @param hasSeveralRoles whether its job's own controller has told it of more than one role
 */
public record GangMember(
    String gang,
    Terms.Usable terms,
    Markings markings,
    String podName,
    String hostname,
    String subdomain,
    Optional<String> controller,
    Optional<Integer> toldRank,
    boolean hasSeveralRoles) {}
