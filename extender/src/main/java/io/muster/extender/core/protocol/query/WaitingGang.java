package io.muster.extender.core.protocol.query;

import io.muster.extender.core.gang.GangId;

/** A gang that waits though enough of its members are there. Immutable. */
public record WaitingGang(GangId gang, int priority) {}
