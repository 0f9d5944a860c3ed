package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Muster in a {@link ClusterSimulation}: the protocol, what informers deliver to it, and its writes
 * on their way. Nothing of a life outlasts it.
 */
final class SimulatedMuster {

  private static final int TICK_MILLIS = 500;

  private final ClusterSimulation cluster;
  private final Rules rules;
  private GangProtocol protocol;
  private int life;
  private boolean up;
  private final Map<Integer, Instant> deliveredUntil = new HashMap<>();
  private final Map<GangId, Instant> writtenUntil = new HashMap<>();

  SimulatedMuster(ClusterSimulation cluster, Rules rules) {
    this.cluster = cluster;
    this.rules = rules;
  }

  GangProtocol protocol() {
    return protocol;
  }

  boolean isUp() {
    return up;
  }

  /** Grows each time that it is started or killed. */
  int life() {
    return life;
  }

  /** Reads all that is stored and goes on from there. */
  void start() {
    up = true;
    life++;
    protocol = new GangProtocol(ClusterSimulation.DEADLINES, rules);
    var now = cluster.now();
    cluster.enrolments.forEach((name, how) -> protocol.on(new Event.NamespaceSeen(name, how), now));
    protocol.on(new Event.Released(cluster.isReleased), now);
    protocol.on(new Event.QueuesSet(cluster.queues), now);
    cluster.budgets.forEach(budget -> protocol.on(new Event.BudgetSeen(budget), now));
    cluster.nodes.values().forEach(node -> protocol.on(new Event.NodeSeen(node), now));
    cluster.records.values().forEach(record -> protocol.on(new Event.RecordFound(record), now));
    cluster.objects.forEach(
        (object, terms) -> protocol.on(new Event.TermsSeen(object, terms), now));
    cluster.pods.values().forEach(pod -> protocol.on(new Event.PodSeen(pod), now));
    tell(new Event.LeaseHeld(cluster.leaseUntil, cluster.followsAnother));
    tell(new Event.Ready());
    tickForEver();
  }

  void kill() {
    up = false;
    life++;
  }

  /** Informers deliver in order, but late. */
  void deliver(Event event) {
    if (up) {
      var last = deliveredUntil.getOrDefault(life, Instant.EPOCH);
      var at = later(cluster.now().plusMillis(cluster.between(0, 50)), last);
      deliveredUntil.put(life, at);
      cluster.at(at, inThisLife(() -> tell(event)));
    }
  }

  private void tell(Event event) {
    carryOut(protocol.on(event, cluster.now()));
  }

  private void tickForEver() {
    cluster.after(
        TICK_MILLIS,
        inThisLife(() -> {
          tell(new Event.Tick());
          tickForEver();
        }));
  }

  void carryOut(List<Effect> effects) {
    effects.forEach(this::carryOut);
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.AnswerBind(long call, Optional<String> error) ->
          cluster.after(cluster.between(0, 3), () -> cluster.scheduler.bindAnswered(call, error));
      case Effect.WriteRecord write ->
          inOrder(
              write.gang().gang(),
              () -> {
                var stored = cluster.writeRecord(write);
                answer(new Event.RecordWritten(write.gang().gang(), write.gang().epoch(), stored));
              });
      case Effect.WriteReport write ->
          inOrder(write.gang().gang(), () -> cluster.writeReport(write.gang(), write.report()));
      case Effect.Forget(GangId gang) -> cluster.records.remove(gang);
      case Effect.Bind bind ->
          write(() -> {
            var outcome = cluster.writeBinding(bind);
            answer(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
          });
      case Effect.Ungate ungate -> write(() -> cluster.ungate(ungate));
      case Effect.Release release -> write(() -> cluster.release(release));
      case Effect.Wake(PodKey key, long _) -> {
        cluster.wakes++;
        write(() -> cluster.scheduler.wake(key.uid()));
      }
      case Effect.Explain explain -> cluster.explained.add(explain);
      case Effect.Show show -> cluster.shown.add(show.pod().name());
      case Effect.Warn warning -> cluster.explained.add(warning);
      case Effect.Announce _ -> {}
      case Effect.Fault fault -> throw new IllegalStateException(fault.step(), fault.cause());
      case Effect.Remake(PodKey key, String _) -> write(() -> cluster.remake(key.uid()));
      case Effect.Evict(PodKey key, String _, String _) -> write(() -> cluster.delete(key.uid()));
    }
  }

  private void write(Runnable action) {
    soon(1, 30, action);
  }

  private void answer(Event event) {
    soon(0, 5, () -> tell(event));
  }

  /** Writes of one gang go out one after the other. */
  private void inOrder(GangId gang, Runnable action) {
    var last = writtenUntil.getOrDefault(gang, Instant.EPOCH);
    var at = later(cluster.now().plusMillis(cluster.between(1, cluster.longestGangWriteMillis)), last);
    writtenUntil.put(gang, at);
    cluster.after(Duration.between(cluster.now(), at).toMillis(), inThisLife(action));
  }

  private void soon(int fromMillis, int toMillis, Runnable action) {
    cluster.after(cluster.between(fromMillis, toMillis), inThisLife(action));
  }

  private Runnable inThisLife(Runnable action) {
    int mine = life;
    return () -> {
      if (up && life == mine) {
        action.run();
      }
    };
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }
}
