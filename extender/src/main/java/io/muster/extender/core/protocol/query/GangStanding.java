package io.muster.extender.core.protocol.query;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangReport;
import java.time.Instant;
import java.util.Optional;

/**
 * A gang, whatever has become of it; where several start as one, each of them. Immutable.
 *
 * @param queue that it counts in
 * @param minAvailable fewest members that may start; 0 while no member states a usable number
 * @param devices of every name: what its members on nodes hold, or while it waits what all that
 *     must start together ask for
 * @param since when it was created
 * @param position in the order in which gangs are tried, from 1; empty for one that does not wait,
 *     lacks members, or may not be in the queue that it names
 */
public record GangStanding(
    GangId gang,
    String queue,
    int priority,
    int minAvailable,
    long devices,
    Instant since,
    Optional<Integer> position,
    GangReport report) {}
