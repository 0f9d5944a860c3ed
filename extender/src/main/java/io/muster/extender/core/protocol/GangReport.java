package io.muster.extender.core.protocol;

import io.muster.extender.core.protocol.GangRecord.Phase;

/**
 * What users read of a gang in {@code kubectl get gangs}. Immutable.
 *
 * @param members live members seen
 * @param bound members on a node, those that have succeeded included
 * @param reason stable code of the one dominant reason
 * @param message the reason as one sentence
 * @param remedy what would change it, one sentence; empty if nothing is to be done
 */
public record GangReport(
    Phase phase, int members, int bound, Reason reason, String message, String remedy) {}
