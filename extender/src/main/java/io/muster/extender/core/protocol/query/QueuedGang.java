package io.muster.extender.core.protocol.query;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangReport;
import java.time.Instant;
import java.util.Optional;

/**
 * A gang that waits. Immutable.
 *
 * @param position in the order in which gangs are tried, from 1; empty while it lacks members, or
 *     may not be in the queue that it names
 * @param queue that it counts in
 * @param members that must start together; where that is not known, those that are there
 * @param devices that these ask for, of every name; 0 where it is not known how many must start
 * @param since when it was created
 * @param report why it waits
 */
public record QueuedGang(
    Optional<Integer> position,
    GangId gang,
    String queue,
    int members,
    long devices,
    Instant since,
    GangReport report) {}
