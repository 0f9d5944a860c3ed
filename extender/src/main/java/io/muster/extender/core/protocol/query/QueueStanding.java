package io.muster.extender.core.protocol.query;

import java.util.Optional;

/**
 * What a queue has, and what is asked of it, in devices of every name. Immutable.
 *
 * @param quota that are its own; empty: nothing counts as borrowed
 * @param limit most that it may hold; empty: none
 * @param used by its pods on nodes, and reserved for those that start
 * @param borrowed of these, beyond its quota
 * @param lent of its own, in the hands of others: what all borrow is taken from the queues below
 *     their quota by how far they are below it
 * @param asked by its gangs that wait
 * @param waiting gangs
 */
public record QueueStanding(
    String name,
    Optional<Long> quota,
    Optional<Long> limit,
    long used,
    long borrowed,
    long lent,
    long asked,
    int waiting) {}
