package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.estimate.StartEstimates;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Muster in a {@link ClusterSimulation}: the protocol, what informers deliver to it, and its writes
 * on their way. Nothing of a life outlasts it, but for writes that were sent before it was cut off.
 * After each event and each call what must hold is looked at.
 */
final class SimulatedMuster {

  private static final int USUAL_POD_WRITE_MILLIS = 30;

  private final ClusterSimulation cluster;
  private final Rules rules;
  private GangScheduler protocol;
  private static final int ESTIMATED_EVERY = 25;

  private Invariants invariants;
  private int ticks;
  private int life;
  private boolean up;
  private final Map<Integer, Instant> deliveredUntil = new HashMap<>();
  private final Map<GangId, Instant> writtenUntil = new HashMap<>();
  private final Map<String, Instant> podWrittenUntil = new HashMap<>();

  /** The newest report of each gang that is not stored yet. */
  private final Map<GangId, Effect.WriteReport> unstored = new HashMap<>();

  /** Lives that were cut off, and when: what they had sent by then arrives. */
  private final Map<Integer, Instant> cutOff = new HashMap<>();

  /** Uids of pods for which this life has sent Bindings. */
  private Set<String> sent = new HashSet<>();

  /** What came while the process stood still, in order. */
  private final Queue<Runnable> inbox = new ArrayDeque<>();

  private Instant stoppedUntil = Instant.MIN;
  private int stops;

  /** What it has been told, by whatever process leads. */
  final ToldCluster told = new ToldCluster();

  /** What is asked of all that it sends. */
  final BurstPromise promise;

  /** How often time is told. */
  int tickMillis = 500;

  /** How far its clock is ahead of the time of day when it starts. */
  Duration clockAhead = Duration.ZERO;

  /** How late informers may be. */
  int longestLagMillis = 50;

  SimulatedMuster(ClusterSimulation cluster, Rules rules) {
    this.cluster = cluster;
    this.rules = rules;
    promise = new BurstPromise(cluster, told);
  }

  GangScheduler protocol() {
    return protocol;
  }

  boolean isUp() {
    return up;
  }

  /** Whether it could answer a call now. */
  boolean answers() {
    return up && !isStopped();
  }

  /** Grows each time that it is started or killed. */
  int life() {
    return life;
  }

  /** How often it has stood still. */
  int stops() {
    return stops;
  }

  /** Reads all that is stored and goes on from there. */
  void start() {
    up = true;
    life++;
    protocol = new GangScheduler(ClusterSimulation.DEADLINES, rules);
    invariants = new Invariants(protocol);
    told.clear();
    sent = new HashSet<>();
    promise.begin(protocol);
    var now = cluster.now();
    cluster.enrolments.forEach((name, how) -> protocol.on(new Event.NamespaceSeen(name, how), now));
    protocol.on(new Event.Released(cluster.isReleased), now);
    protocol.on(new Event.QueuesSet(cluster.queues), now);
    cluster.budgets.forEach(budget -> protocol.on(new Event.BudgetSeen(budget), now));
    cluster.namespaceQuotas.forEach(quota -> protocol.on(new Event.NamespaceQuotaSeen(quota), now));
    cluster.nodes.values().forEach(node -> read(new Event.NodeSeen(node)));
    cluster.records.values().forEach(record -> protocol.on(new Event.RecordFound(record), now));
    cluster.objects.forEach(
        (object, terms) -> protocol.on(new Event.TermsSeen(object, terms), now));
    cluster.pods.values().forEach(pod -> read(new Event.PodSeen(pod)));
    tell(new Event.ClockSet(clockAhead));
    tell(new Event.LeaseHeld(cluster.leaseUntil, cluster.followsAnother));
    tell(new Event.Ready());
    tickForEver();
  }

  private void read(Event event) {
    told.take(event);
    var _ = protocol.on(event, cluster.now());
  }

  void kill() {
    up = false;
    life++;
    inbox.clear();
    unstored.clear();
    stoppedUntil = Instant.MIN;
  }

  /** The same, but what it has sent arrives. */
  void cutOff() {
    if (up) {
      cutOff.put(life, cluster.now());
    }
    kill();
  }

  /** The process stands still for that long: nothing reaches it, and no time passes for it. */
  void stopFor(Duration time) {
    if (up && !isStopped()) {
      stops++;
      stoppedUntil = cluster.now().plus(time);
      cluster.after(time.toMillis(), inThisLife(this::goOn));
    }
  }

  private boolean isStopped() {
    return cluster.now().isBefore(stoppedUntil);
  }

  private void goOn() {
    while (!inbox.isEmpty()) {
      inbox.remove().run();
    }
  }

  /** Informers deliver in order, but late. */
  void deliver(Event event) {
    if (up) {
      var last = deliveredUntil.getOrDefault(life, Instant.EPOCH);
      var at = deferred(cluster.now().plusMillis(cluster.between(0, longestLagMillis)), last);
      deliveredUntil.put(life, at);
      cluster.at(at, inThisLife(() -> whenItRuns(() -> tell(event))));
    }
  }

  private void whenItRuns(Runnable action) {
    if (isStopped() || !inbox.isEmpty()) {
      inbox.add(action);
    } else {
      action.run();
    }
  }

  private void tell(Event event) {
    told.take(event);
    var effects = protocol.on(event, cluster.now());
    invariants.check(event, effects, cluster.now());
    promise.check(event, effects);
    carryOut(effects);
  }

  private void tickForEver() {
    cluster.after(
        tickMillis,
        inThisLife(() -> {
          if (!isStopped()) {
            tell(new Event.Tick());
            estimateNowAndThen();
          }
          tickForEver();
        }));
  }

  /** Whatever there is, running ahead on a copy of it meets no fault. */
  private void estimateNowAndThen() {
    if (++ticks % ESTIMATED_EVERY == 0) {
      var now = cluster.now();
      protocol
          .copy(now)
          .ifPresent(copy -> {
            var starts =
                StartEstimates.of(
                    copy,
                    _ -> true,
                    fault -> cluster.faults.add("%s ahead: %s".formatted(now, fault)));
            tell(new Event.StartsEstimated(now, starts));
          });
    }
  }

  GangScheduler.Decision filter(Pod pod, List<String> offered) {
    var decision = protocol.filter(pod, offered, cluster.now());
    protocol.cluster().pod(pod.key().uid()).ifPresent(told::hear);
    if (!decision.effects().isEmpty()) {
      called("filter of " + pod.key(), decision.effects());
    }
    return decision;
  }

  Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    return protocol.preemptable(pod, victims);
  }

  /** Takes a bind call, once it can. */
  void bind(BindCall call) {
    whenItRuns(() -> called("bind of " + call.pod(), protocol.bind(call, cluster.now())));
  }

  private void called(String call, List<Effect> effects) {
    invariants.check(call, effects, cluster.now());
    promise.check(effects);
    carryOut(effects);
  }

  private void carryOut(List<Effect> effects) {
    effects.forEach(this::carryOut);
  }

  private void carryOut(Effect effect) {
    int mine = life;
    switch (effect) {
      case Effect.AnswerBind(long call, Optional<String> error) ->
          cluster.after(cluster.between(0, 3), () -> cluster.scheduler.bindAnswered(call, error));
      case Effect.WriteRecord write -> {
        cluster.recordWrites++;
        unstored.remove(write.gang().gang());
        inOrder(
            write.gang().gang(),
            () -> {
              var stored = cluster.api.writeRecord(write);
              answer(
                  mine, new Event.RecordWritten(write.gang().gang(), write.gang().epoch(), stored));
            });
      }
      case Effect.WriteReport write -> {
        unstored.put(write.gang().gang(), write);
        inOrder(write.gang().gang(), () -> report(write));
      }
      case Effect.EnsureCompanions(GangRecord gang, boolean _, Optional<Effect.Group> group) ->
          inOrder(
              gang.gang(),
              () -> {
                var obstacle =
                    cluster.api.ensureCompanions(gang.gang(), group)
                        ? Optional.<Event.CompanionsEnsured.Obstacle>empty()
                        : Optional.of(
                            new Event.CompanionsEnsured.Obstacle("the API server", "wait"));
                answer(
                    mine, new Event.CompanionsEnsured(gang.gang(), gang.incarnation(), obstacle));
              });
      case Effect.DropCompanions(GangId gang, boolean nvlink, boolean group) ->
          inOrder(gang, () -> cluster.api.tryTo(() -> cluster.api.drop(gang, nvlink, group)));
      case Effect.Forget(GangId gang) -> cluster.api.forget(gang);
      case Effect.Bind bind -> {
        boolean isCovered = cluster.api.isCovered(bind);
        sent.add(bind.pod().uid());
        var isKnown = knownNow();
        write(
            bind.pod(),
            () -> {
              var outcome = cluster.api.writeBinding(bind, isCovered, isKnown);
              answer(mine, new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
            });
      }
      case Effect.Ungate ungate -> tryTo(ungate.pod(), () -> cluster.api.ungate(ungate));
      case Effect.Release release -> write(release.pod(), () -> cluster.api.release(release));
      case Effect.Wake(PodKey key, long _) -> {
        cluster.wakes++;
        tryTo(key, () -> cluster.scheduler.wake(key.uid()));
      }
      case Effect.Explain explain -> cluster.explained.add(explain);
      case Effect.Show show ->
          (show.unschedulable() ? cluster.shown : cluster.hidden).add(show.pod().name());
      case Effect.Warn warning -> cluster.explained.add(warning);
      case Effect.Announce announcement -> cluster.announced.add(announcement);
      case Effect.Fault fault -> throw new IllegalStateException(fault.step(), fault.cause());
      case Effect.Remake(PodKey key, String _) -> tryTo(key, () -> cluster.remake(key.uid()));
      case Effect.Evict evict -> {
        cluster.evictions.add(evict);
        tryTo(evict.pod(), () -> cluster.evict(evict.pod().uid(), evict.longest()));
      }
    }
  }

  /**
   * Those that it binds itself, and those that it has been told of: what a former leader has sent
   * may land after the next one has begun, which cannot know of it.
   */
  private Predicate<Pod> knownNow() {
    var own = sent;
    var seen = told.onNodes();
    return pod -> own.contains(pod.key().uid()) || seen.contains(pod.key().uid());
  }

  /** A report is tried until it is stored, or there is another. */
  private void report(Effect.WriteReport write) {
    var gang = write.gang().gang();
    if (!cluster.api.writeReport(write)) {
      cluster.after(
          1_000,
          inThisLife(() -> {
            if (write.equals(unstored.get(gang))) {
              inOrder(gang, () -> report(write));
            }
          }));
    } else {
      unstored.remove(gang, write);
    }
  }

  private void tryTo(PodKey pod, Runnable write) {
    write(pod, () -> cluster.api.tryTo(write));
  }

  /** Writes of one pod go out one after the other, which shows only where they take long. */
  private void write(PodKey pod, Runnable action) {
    var at = cluster.now().plusMillis(cluster.between(1, cluster.longestPodWriteMillis));
    if (cluster.longestPodWriteMillis > USUAL_POD_WRITE_MILLIS) {
      at = deferred(at, podWrittenUntil.getOrDefault(pod.uid(), Instant.EPOCH));
      podWrittenUntil.put(pod.uid(), at);
    }
    send(at, cluster.now(), action);
  }

  private void answer(int asked, Event event) {
    var told = inThisLife(() -> whenItRuns(() -> tell(event)));
    cluster.after(
        cluster.between(0, 5),
        () -> {
          if (life == asked) {
            told.run();
          }
        });
  }

  /** Writes of one gang go out one after the other. */
  private void inOrder(GangId gang, Runnable action) {
    var last = writtenUntil.getOrDefault(gang, Instant.EPOCH);
    var own = cluster.now().plusMillis(cluster.between(1, cluster.longestGangWriteMillis));
    var at = deferred(own, last);
    writtenUntil.put(gang, at);
    int version = cluster.api.versionOf(gang);
    int mine = life;
    send(
        at,
        deferred(cluster.now(), last),
        () -> {
          // What a process has sent that is cut off names the version that it knew.
          if (life == mine || cluster.api.versionOf(gang) == version) {
            action.run();
          }
        });
  }

  /** Has the write arrive then, unless the process dies before, and is not merely cut off. */
  private void send(Instant arrives, Instant sent, Runnable write) {
    int mine = life;
    cluster.at(
        arrives,
        () -> {
          boolean isSent =
              Optional.ofNullable(cutOff.get(mine)).filter(at -> !at.isBefore(sent)).isPresent();
          if ((up && life == mine) || isSent) {
            write.run();
          }
        });
  }

  private Runnable inThisLife(Runnable action) {
    int mine = life;
    return () -> {
      if (up && life == mine) {
        action.run();
      }
    };
  }

  private static Instant deferred(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }
}
