package io.muster.extender.core.protocol;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.plan.Inventory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A cluster in virtual time: an apiserver that stores what Muster writes, informers that deliver
 * late, and a kube-scheduler with queue, assumptions, backoff and wake-up rules. Every delay is
 * drawn from one seeded source, so a run can be repeated. Muster can be killed and started again at
 * any step; then only what was stored is left.
 */
final class ClusterSimulation {

  private record Step(Instant at, long order, Runnable action) {}

  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(10);

  /** The defaults, but that claims end before a run does. */
  static final Deadlines DEADLINES =
      new Deadlines(
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(5),
          Duration.ofSeconds(45),
          Duration.ofSeconds(120),
          Duration.ofSeconds(3),
          Duration.ofSeconds(15),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60));

  private final Random random;
  private final PinPolicy pinPolicy;
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparing(Step::at).thenComparingLong(Step::order));
  private long order;
  private Instant now = Instant.EPOCH;

  // Stored in the cluster.
  final TreeMap<String, Node> nodes = new TreeMap<>();
  final Map<String, Pod> pods = new LinkedHashMap<>();
  final Map<GangId, GangRecord> records = new HashMap<>();
  final Map<GangId, GangReport> reports = new HashMap<>();
  final List<Effect> explained = new ArrayList<>();
  final List<String> faults = new ArrayList<>();

  private final Map<GangId, Instant> writtenUntil = new HashMap<>();

  // kube-scheduler.
  private final Inventory assumed = new Inventory();
  private final Set<String> unschedulable = new HashSet<>();
  private final Set<String> refusedInTree = new HashSet<>();
  private final Set<String> rejected = new HashSet<>();
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Map<Long, String> calls = new HashMap<>();
  private final Set<String> inFlight = new HashSet<>();
  private long nextCall = 1;

  // Muster, and how much of it survives a kill: nothing.
  private GangProtocol muster;
  private int life;
  private boolean up;

  /** Chance in percent that a write of Muster fails without having been done. */
  int writeFailures;

  /** Whether events of other pods and of nodes make kube-scheduler try refused pods again. */
  boolean eventsWakeRefused = true;

  Instant leaseUntil = Instant.MAX;

  /** Records and reports stored so far. */
  int gangWrites;

  boolean followsAnother;

  /** Whether owners make deleted pods anew, under the same name, as a Job or StatefulSet does. */
  boolean ownersReplace;

  private int replacements;

  ClusterSimulation(long seed) {
    this(seed, seed % 2 == 0 ? PinPolicy.ALWAYS : PinPolicy.NEVER);
  }

  ClusterSimulation(long seed, PinPolicy pinPolicy) {
    random = new Random(seed);
    this.pinPolicy = pinPolicy;
    startMuster();
  }

  Duration sinceStart() {
    return Duration.between(Instant.EPOCH, now);
  }

  Instant now() {
    return now;
  }

  GangProtocol muster() {
    return muster;
  }

  void addNode(Node node) {
    nodes.put(node.name(), node);
    assumed.seen(node);
    toMuster(new Event.NodeSeen(node));
    wakeUnschedulable();
  }

  /** The node goes, and its pods with it. */
  void removeNode(String name) {
    if (nodes.remove(name) == null) {
      return;
    }
    assumed.gone(name);
    toMuster(new Event.NodeGone(name));
    pods.values().stream()
        .filter(pod -> pod.progress().nodeName().equals(Optional.of(name)))
        .map(pod -> pod.key().uid())
        .toList()
        .forEach(uid -> after(between(100, 2000), () -> delete(uid)));
  }

  void create(Pod pod) {
    var admitted = admitted(pod);
    store(admitted);
    enqueue(admitted.key().uid(), Duration.ZERO);
  }

  /** The apiserver asks the webhook, and then somebody else refuses the pod. */
  void createRefused(Pod pod) {
    admitted(pod);
  }

  private Pod admitted(Pod pod) {
    if (!up) {
      return pod;
    }
    var born = muster.birth(pod, now);
    run(born.effects());
    return switch (born.birth()) {
      case Birth.Free _ -> pod;
      case Birth.Gated _ -> PodBuilder.with(pod, gatedProgress(pod), Optional.empty());
      case Birth.Placed(Pin pin) -> PodBuilder.tied(pod, pin);
    };
  }

  /** Stores a pod without asking the webhook. */
  void createUnseen(Pod pod) {
    store(pod);
    enqueue(pod.key().uid(), Duration.ZERO);
  }

  void delete(String uid) {
    var pod = Optional.ofNullable(pods.get(uid));
    if (pod.isEmpty() || pod.get().progress().deleting()) {
      return;
    }
    var before = pod.get().progress();
    store(
        PodBuilder.with(
            pod.get(),
            new Pod.Progress(
                before.phase(), before.nodeName(), before.nominatedNode(), true, before.gates()),
            pod.get().origin().placement()));
    after(
        between(0, before.nodeName().isPresent() ? 2000 : 10),
        () -> {
          var gone = pods.remove(uid);
          assumed.release(uid);
          toMuster(new Event.PodGone(gone.key()));
          wakeUnschedulable();
          if (ownersReplace && gone.origin().controllerUid().isPresent()) {
            after(between(10, 1000), () -> replace(gone));
          }
        });
  }

  /** An owner that makes such members anew, whatever the others do. */
  private void remake(String uid) {
    var pod = Optional.ofNullable(pods.get(uid));
    if (pod.isEmpty() || pod.get().progress().deleting()) {
      return;
    }
    if (pod.get().isBound()) {
      faults.add(now + " " + pod.get().key() + " has started and was to be made anew");
    }
    delete(uid);
    if (!ownersReplace) {
      after(1500, () -> replace(pod.get()));
    }
  }

  private void replace(Pod gone) {
    var fresh =
        new Pod(
            new PodKey(gone.key().namespace(), gone.key().name(), "again-" + replacements++),
            gone.shape(),
            new Pod.Progress(
                Pod.Phase.PENDING, Optional.empty(), Optional.empty(), false, Set.of()),
            new Pod.Origin(
                now,
                gone.origin().schedulerName(),
                gone.origin().controllerUid(),
                false,
                false,
                Optional.empty(),
                new Pod.Pinning(gone.origin().pinning().allowed(), Optional.empty())),
            gone.membership());
    create(fresh);
  }

  /** From now on kube-scheduler's own rules let the pod go nowhere. */
  void reject(String uid) {
    rejected.add(uid);
  }

  private void sayRejected(Pod pod) {
    var before = pod.progress();
    store(
        PodBuilder.with(
            pod,
            new Pod.Progress(
                before.phase(),
                before.nodeName(),
                before.nominatedNode(),
                before.deleting(),
                before.gates(),
                Optional.of("0/%d nodes are available: no".formatted(nodes.size()))),
            pod.origin().placement()));
  }

  /** kube-scheduler is killed and comes back: what it had assumed and asked is forgotten. */
  void restartScheduler() {
    for (var call : List.copyOf(calls.keySet())) {
      calls.remove(call);
    }
    for (var uid : List.copyOf(inFlight)) {
      inFlight.remove(uid);
      if (!Optional.ofNullable(pods.get(uid)).filter(Pod::isBound).isPresent()) {
        assumed.release(uid);
      }
    }
    unschedulable.clear();
    refusedInTree.clear();
    attempts.clear();
    pods.keySet().forEach(uid -> enqueue(uid, Duration.ofMillis(between(500, 1500))));
  }

  void complete(String uid) {
    end(uid, Pod.Phase.SUCCEEDED, Optional.empty());
  }

  /** The pod fails; with a reason of the kubelet where that did not even start it. */
  void fail(String uid, String refusal) {
    end(uid, Pod.Phase.FAILED, Optional.of(refusal).filter(reason -> !reason.isEmpty()));
  }

  private void end(String uid, Pod.Phase phase, Optional<String> refusal) {
    var pod = pods.get(uid);
    if (pod == null || !pod.isBound()) {
      return;
    }
    var before = pod.progress();
    store(
        PodBuilder.with(
            pod,
            new Pod.Progress(
                phase,
                before.nodeName(),
                Optional.empty(),
                before.deleting(),
                before.gates(),
                refusal),
            pod.origin().placement()));
    assumed.release(uid);
    wakeUnschedulable();
  }

  void kill() {
    up = false;
    life++;
    calls.forEach(
        (call, uid) -> after(between(0, 5), () -> bindAnswered(call, Optional.of("reset"))));
  }

  void startMuster() {
    up = true;
    life++;
    int mine = life;
    muster = new GangProtocol(DEADLINES, pinPolicy);
    nodes.values().forEach(node -> muster.on(new Event.NodeSeen(node), now));
    records.values().forEach(record -> muster.on(new Event.RecordFound(record), now));
    pods.values().forEach(pod -> muster.on(new Event.PodSeen(pod), now));
    run(muster.on(new Event.LeaseHeld(leaseUntil, followsAnother), now));
    run(muster.on(new Event.Ready(), now));
    tickForEver(mine);
  }

  void restartAfter(Duration down) {
    kill();
    after(down.toMillis(), this::startMuster);
  }

  void at(Duration offset, Runnable action) {
    steps.add(new Step(Instant.EPOCH.plus(offset), order++, action));
  }

  void runUntil(Duration offset) {
    var end = Instant.EPOCH.plus(offset);
    while (!steps.isEmpty() && !steps.peek().at().isAfter(end)) {
      var step = steps.poll();
      now = step.at();
      step.action().run();
    }
    now = end;
  }

  long boundOf(String gangName) {
    return pods.values().stream()
        .filter(pod -> isOf(pod, gangName) && pod.isBound() && !pod.progress().deleting())
        .count();
  }

  List<String> boundNames(String gangName) {
    return pods.values().stream()
        .filter(pod -> isOf(pod, gangName) && pod.isBound())
        .map(pod -> pod.key().name())
        .sorted()
        .toList();
  }

  GangReport report(String gangName) {
    return reports.entrySet().stream()
        .filter(e -> e.getKey().name().equals(gangName))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  private static boolean isOf(Pod pod, String gangName) {
    return pod.membership().filter(m -> m.gang().name().equals(gangName)).isPresent();
  }

  private static Pod.Progress gatedProgress(Pod pod) {
    return new Pod.Progress(
        pod.progress().phase(), Optional.empty(), Optional.empty(), false, Set.of(Pod.GATE));
  }

  // --- apiserver and informers ---

  private void store(Pod pod) {
    pods.put(pod.key().uid(), pod);
    toMuster(new Event.PodSeen(pod));
  }

  private final Map<Integer, Instant> deliveredUntil = new HashMap<>();

  /** Informers deliver in order, but late. */
  private void toMuster(Event event) {
    if (!up) {
      return;
    }
    int mine = life;
    var due = now.plusMillis(between(0, 50));
    var last = deliveredUntil.getOrDefault(mine, Instant.EPOCH);
    var at = due.isBefore(last) ? last : due;
    deliveredUntil.put(mine, at);
    steps.add(
        new Step(
            at,
            order++,
            () -> {
              if (up && life == mine) {
                run(muster.on(event, now));
              }
            }));
  }

  private void tickForEver(int mine) {
    after(
        500,
        () -> {
          if (up && life == mine) {
            run(muster.on(new Event.Tick(), now));
            tickForEver(mine);
          }
        });
  }

  private void run(List<Effect> effects) {
    int mine = life;
    for (var effect : effects) {
      switch (effect) {
        case Effect.AnswerBind(long call, Optional<String> error) ->
            after(between(0, 3), () -> bindAnswered(call, error));
        case Effect.WriteRecord write ->
            inOrder(mine, write.gang().gang(), () -> writeRecord(mine, write));
        case Effect.WriteReport write ->
            inOrder(mine, write.gang().gang(), () -> writeReport(write.gang(), write.report()));
        case Effect.Forget(GangId gang) -> records.remove(gang);
        case Effect.Bind bind -> whileAlive(mine, between(1, 30), () -> writeBinding(mine, bind));
        case Effect.Ungate ungate -> whileAlive(mine, between(1, 30), () -> ungate(ungate));
        case Effect.Wake(PodKey key, long _) ->
            whileAlive(mine, between(1, 30), () -> wake(key.uid()));
        case Effect.Explain explain -> explained.add(explain);
        case Effect.Announce _ -> {}
        case Effect.Remake(PodKey key, String _) ->
            whileAlive(mine, between(1, 30), () -> remake(key.uid()));
        case Effect.Evict(PodKey key, String _) ->
            whileAlive(mine, between(1, 30), () -> delete(key.uid()));
      }
    }
  }

  /** Writes of one gang go out one after the other. */
  private void inOrder(int mine, GangId gang, Runnable action) {
    var due = now.plusMillis(between(1, 20));
    var last = writtenUntil.getOrDefault(gang, Instant.EPOCH);
    var at = due.isBefore(last) ? last : due;
    writtenUntil.put(gang, at);
    whileAlive(mine, Duration.between(now, at).toMillis(), action);
  }

  private void whileAlive(int mine, long delay, Runnable action) {
    after(
        delay,
        () -> {
          if (up && life == mine) {
            action.run();
          }
        });
  }

  private void back(int mine, Event event) {
    whileAlive(mine, between(0, 5), () -> run(muster.on(event, now)));
  }

  private void writeRecord(int mine, Effect.WriteRecord write) {
    boolean fails = random.nextInt(100) < writeFailures;
    if (!fails) {
      writeReport(write.gang(), write.report());
    }
    back(mine, new Event.RecordWritten(write.gang().gang(), write.gang().epoch(), !fails));
  }

  private void writeReport(GangRecord record, GangReport report) {
    gangWrites++;
    records.put(record.gang(), record);
    reports.put(record.gang(), report);
  }

  private void writeBinding(int mine, Effect.Bind bind) {
    BindingOutcome outcome;
    var pod = pods.get(bind.pod().uid());
    if (random.nextInt(100) < writeFailures) {
      outcome = new BindingOutcome.Failed("timeout");
    } else if (pod == null || pod.progress().deleting()) {
      outcome = new BindingOutcome.Lost("gone");
    } else if (pod.isBound()) {
      outcome =
          pod.progress().nodeName().equals(Optional.of(bind.node()))
              ? new BindingOutcome.Bound()
              : new BindingOutcome.Lost("bound elsewhere");
    } else if (pod.isGated()) {
      outcome = new BindingOutcome.Failed("gated");
    } else {
      checkPromise(pod);
      var before = pod.progress();
      store(
          PodBuilder.with(
              pod,
              new Pod.Progress(
                  Pod.Phase.RUNNING,
                  Optional.of(bind.node()),
                  Optional.empty(),
                  false,
                  before.gates()),
              bind.incarnation() == 0
                  ? Optional.empty()
                  : Optional.of(Long.toString(bind.incarnation()))));
      assumed.occupy(pod.key().uid(), bind.node(), pod.demand().requests());
      unschedulable.remove(pod.key().uid());
      checkCapacity(bind.node());
      wakeUnschedulable();
      outcome = new BindingOutcome.Bound();
    }
    back(mine, new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
  }

  private void ungate(Effect.Ungate ungate) {
    var key = ungate.pod();
    var pod = pods.get(key.uid());
    if (pod != null && pod.isGated()) {
      var before = pod.progress();
      var free =
          PodBuilder.with(
              pod,
              new Pod.Progress(
                  before.phase(), before.nodeName(), Optional.empty(), before.deleting(), Set.of()),
              Optional.empty());
      store(ungate.pin().map(pin -> PodBuilder.tied(free, pin)).orElse(free));
      enqueue(key.uid(), Duration.ZERO);
    }
  }

  // --- what must hold ---

  private void checkPromise(Pod pod) {
    pod.membership()
        .ifPresent(membership -> {
          var record =
              records.values().stream()
                  .filter(r ->
                      r.gang().equals(membership.gang())
                          || r.placement().containsKey(pod.key().uid()))
                  .max(Comparator.comparingInt(r -> r.placement().size()));
          boolean covered =
              record
                  .filter(r ->
                      r.satisfied()
                          || r.placement().size() >= r.minAvailable()
                          || boundOf(membership.gang().name()) > 0)
                  .isPresent();
          if (!covered) {
            faults.add(now + " " + pod.key() + " bound without a whole record: " + record);
          }
        });
  }

  private void checkCapacity(String node) {
    long used =
        pods.values().stream()
            .filter(pod -> !pod.isTerminal())
            .filter(pod -> pod.progress().nodeName().equals(Optional.of(node)))
            .mapToLong(pod -> pod.demand().requests().of("nvidia.com/gpu"))
            .sum();
    long offered =
        Optional.ofNullable(nodes.get(node))
            .map(n -> n.allocatable().of("nvidia.com/gpu"))
            .orElse(0L);
    if (nodes.containsKey(node) && used > offered) {
      faults.add("%s %s holds %d of %d GPUs".formatted(now, node, used, offered));
    }
  }

  // --- kube-scheduler ---

  private void enqueue(String uid, Duration delay) {
    after(delay.toMillis() + between(0, 5), () -> attempt(uid));
  }

  private void attempt(String uid) {
    var pod = pods.get(uid);
    if (pod == null
        || pod.isBound()
        || pod.isGated()
        || pod.progress().deleting()
        || inFlight.contains(uid)) {
      return;
    }
    unschedulable.remove(uid);
    refusedInTree.remove(uid);
    attempts.merge(uid, 1, Integer::sum);
    var feasible =
        assumed.snapshot().rooms().values().stream()
            .filter(_ -> !rejected.contains(uid))
            .filter(room -> room.fits(pod.demand()))
            .map(room -> room.node().name())
            .toList();
    if (feasible.isEmpty()) {
      unschedulable.add(uid);
      refusedInTree.add(uid);
      sayRejected(pod);
      return;
    }
    if (!up) {
      enqueue(uid, backoff(uid));
      return;
    }
    var decision = muster.filter(pod, feasible, now);
    run(decision.effects());
    var again = muster.filter(pod, feasible, now);
    run(again.effects());
    if (!decision.answer().equals(again.answer())) {
      faults.add(
          "%s filter of %s is not idempotent: %s, then %s"
              .formatted(now, pod.key(), decision.answer(), again.answer()));
    }
    switch (again.answer()) {
      case Answer.Refuse _ -> unschedulable.add(uid);
      case Answer.Accept accept -> {
        if (!feasible.containsAll(accept.nodes())) {
          faults.add(now + " filter named a node that was not offered");
        }
        var node = accept.nodes().get(random.nextInt(accept.nodes().size()));
        assumed.occupy(uid, node, pod.demand().requests());
        inFlight.add(uid);
        after(between(0, 20), () -> callBind(pod, node));
      }
    }
  }

  private void callBind(Pod pod, String node) {
    long call = nextCall++;
    calls.put(call, pod.key().uid());
    if (up) {
      run(muster.bind(new BindCall(call, pod.key(), node), now));
      int mine = life;
      after(
          Deadlines.DEFAULT.httpTimeout().toMillis(),
          () -> {
            if (calls.containsKey(call) && life == mine) {
              faults.add(now + " bind of " + pod.key() + " was not answered in time");
            }
            bindAnswered(call, Optional.of("timeout"));
          });
    } else {
      bindAnswered(call, Optional.of("connection refused"));
    }
  }

  private void bindAnswered(long call, Optional<String> error) {
    var uid = calls.remove(call);
    if (uid == null) {
      return;
    }
    inFlight.remove(uid);
    var pod = pods.get(uid);
    if (pod != null && pod.isBound()) {
      return;
    }
    if (error.isEmpty() && pod != null) {
      faults.add(now + " bind answered well, but the pod is not bound: " + uid);
    }
    assumed.release(uid);
    wakeUnschedulable();
    enqueue(uid, backoff(uid));
  }

  /** The pod's own update: it is tried again after its backoff. */
  private void wake(String uid) {
    if (unschedulable.contains(uid)) {
      enqueue(uid, Duration.ofMillis(between(0, 1000)));
    }
  }

  /** Events of assigned pods and of nodes; what Muster refused, Muster must wake. */
  private void wakeUnschedulable() {
    boolean all = eventsWakeRefused && random.nextInt(4) == 0;
    for (var uid : List.copyOf(unschedulable)) {
      if (all || refusedInTree.contains(uid)) {
        enqueue(uid, backoff(uid));
      }
    }
  }

  private Duration backoff(String uid) {
    var wait = BACKOFF.multipliedBy(1L << Math.min(4, attempts.getOrDefault(uid, 0)));
    return wait.compareTo(LONGEST_BACKOFF) < 0 ? wait : LONGEST_BACKOFF;
  }

  private long between(int from, int to) {
    return (long) from + random.nextInt(to - from + 1);
  }

  private void after(long millis, Runnable action) {
    steps.add(new Step(now.plusMillis(millis), order++, action));
  }
}
