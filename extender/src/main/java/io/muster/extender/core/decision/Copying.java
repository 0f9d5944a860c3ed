package io.muster.extender.core.decision;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Event;
import java.time.Instant;
import java.util.ArrayList;

/**
 * Copies what decisions go by, so that another can run ahead on it. What it leaves out: gangs that
 * are held off after a failure, what was kept for the first in line and for how long, and how much
 * gangs have been given in earlier lives. Confined to the decision thread.
 */
record Copying(ClusterState cluster, ShadowGangs shadow) {

  ClusterCopy copy(Instant now) {
    var events = new ArrayList<Event>(cluster.pods().all().size() + 64);
    events.add(new Event.ClockSet(cluster.timeOfDay().ahead()));
    events.add(new Event.QueuesSet(cluster.queues().queues()));
    events.add(new Event.LevelsSet(cluster.inventory().levels()));
    cluster.budgets().all().forEach(budget -> events.add(new Event.BudgetSeen(budget)));
    events.addAll(shadow.told());
    cluster
        .inventory()
        .snapshot()
        .rooms()
        .forEach(room -> events.add(new Event.NodeSeen(room.node())));
    cluster.gangs().all().stream()
        .filter(gang -> !gang.members.isEmpty())
        .forEach(gang -> events.add(new Event.RecordFound(gang.toRecord(gang.id))));
    cluster.pods().all().forEach(pod -> events.add(new Event.PodSeen(pod)));
    return new ClusterCopy(
        now, cluster.rules(), cluster.deadlines(), events, cluster.runTimes().learned().runs());
  }
}
