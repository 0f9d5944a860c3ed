package io.muster.extender.core.decision;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.PinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Queues;
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
 * late to a {@link SimulatedMuster}, and a {@link SimulatedScheduler}. Every delay is drawn from
 * one seeded source, so a run can be repeated. Muster can be killed and started again at any step;
 * then only what was stored is left.
 */
final class ClusterSimulation {

  private record Step(Instant at, long order, Runnable action) {}

  /** The defaults, but that claims end before a run does. */
  static final Deadlines DEADLINES =
      new Deadlines(
          Deadlines.DEFAULT.httpTimeout(),
          Deadlines.DEFAULT.podMaxBackoff(),
          Deadlines.DEFAULT.hold(),
          Deadlines.DEFAULT.burst(),
          Deadlines.DEFAULT.gangStall(),
          Deadlines.DEFAULT.gangTotal(),
          Deadlines.DEFAULT.repair(),
          Duration.ofSeconds(60),
          Deadlines.DEFAULT.volume());

  /** How gangs are placed here. */
  final Rules rules;

  private final Random random;
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparing(Step::at).thenComparingLong(Step::order));
  private long order;
  private Instant now = Instant.EPOCH;

  // Stored in the cluster.
  final Map<String, Enrolment> enrolments = new TreeMap<>();
  final Map<TermsObject, Optional<Terms>> objects = new LinkedHashMap<>();
  boolean isReleased;
  Queues queues = Queues.NONE;
  final List<Budget> budgets = new ArrayList<>();
  final TreeMap<String, Node> nodes = new TreeMap<>();
  final Map<String, Pod> pods = new LinkedHashMap<>();
  final Map<GangId, GangRecord> records = new HashMap<>();
  final Map<GangId, GangReport> reports = new HashMap<>();
  final List<Effect> explained = new ArrayList<>();
  final List<String> shown = new ArrayList<>();
  final List<String> faults = new ArrayList<>();

  final SimulatedScheduler scheduler;
  private final SimulatedMuster muster;

  /** Chance in percent that a write of Muster fails without having been done. */
  int writeFailures;

  Instant leaseUntil = Instant.MAX;

  /** Records and reports stored so far. */
  int gangWrites;

  /** Writes by which refused pods were to be tried again. */
  int wakes;

  /** Uids of members that a record has named together with enough others. */
  private final Set<String> recordedWhole = new HashSet<>();

  boolean followsAnother;

  /** How long the API server may take to store a Gang object. */
  int longestGangWriteMillis = 20;

  /** How long a pod that runs may take to end once it is deleted. */
  int longestEndingMillis = 2_000;

  /** Whether owners make deleted pods anew, under the same name, as a Job or StatefulSet does. */
  boolean ownersReplace;

  private int replacements;

  ClusterSimulation(long seed) {
    this(seed, Rules.extender(seed % 2 == 0 ? PinPolicy.ALWAYS : PinPolicy.NEVER));
  }

  ClusterSimulation(long seed, Rules rules) {
    random = new Random(seed);
    this.rules = rules;
    muster = new SimulatedMuster(this, rules);
    scheduler = new SimulatedScheduler(this, muster);
    muster.start();
  }

  Duration sinceStart() {
    return Duration.between(Instant.EPOCH, now);
  }

  Instant now() {
    return now;
  }

  /** Muster as it lives now. */
  GangProtocol muster() {
    return muster.protocol();
  }

  /** A namespace says how far it lets Muster in. */
  void enrol(String namespace, Enrolment enrolment) {
    enrolments.put(namespace, enrolment);
    muster.deliver(new Event.NamespaceSeen(namespace, enrolment));
  }

  /** Stores an object in which terms of a gang stand. */
  void state(TermsObject object, Terms said) {
    state(object, Optional.of(said));
  }

  /** The same of one that says that its pods are no gang. */
  void dissolve(TermsObject object) {
    state(object, Optional.empty());
  }

  private void state(TermsObject object, Optional<Terms> terms) {
    objects.put(object, terms);
    muster.deliver(new Event.TermsSeen(object, terms));
  }

  void withdraw(TermsObject object) {
    objects.remove(object);
    muster.deliver(new Event.TermsGone(object));
  }

  /** The queues are these from now on. */
  void configure(Queues configured) {
    queues = configured;
    muster.deliver(new Event.QueuesSet(configured));
  }

  /** There is one more budget, or another of the same name. */
  void protect(Budget budget) {
    budgets.add(budget);
    muster.deliver(new Event.BudgetSeen(budget));
  }

  /** Muster is to let go of everything, or to come back. */
  void release(boolean released) {
    isReleased = released;
    muster.deliver(new Event.Released(released));
  }

  private boolean looksOn(Pod pod) {
    return isReleased || enrolments.get(pod.key().namespace()) == Enrolment.SHADOW;
  }

  void addNode(Node node) {
    nodes.put(node.name(), node);
    muster.deliver(new Event.NodeSeen(node));
    scheduler.seen(node);
  }

  /** The node goes, and its pods with it. */
  void removeNode(String name) {
    if (nodes.remove(name) == null) {
      return;
    }
    scheduler.nodeGone(name);
    muster.deliver(new Event.NodeGone(name));
    pods.values().stream()
        .filter(pod -> pod.progress().nodeName().equals(Optional.of(name)))
        .map(pod -> pod.key().uid())
        .toList()
        .forEach(uid -> after(between(100, 2000), () -> delete(uid)));
  }

  void create(Pod pod) {
    var admitted = admitted(pod);
    store(admitted);
    scheduler.enqueue(admitted.key().uid(), Duration.ZERO);
  }

  /** Any replica of the webhook answers, whether Muster leads or not. */
  private Pod admitted(Pod pod) {
    return pod.membership().isEmpty() || looksOn(pod) ? pod : pod.at(gatedProgress(pod));
  }

  /** Stores a pod without asking the webhook. */
  void createUnseen(Pod pod) {
    store(pod);
    scheduler.enqueue(pod.key().uid(), Duration.ZERO);
  }

  void delete(String uid) {
    var pod = Optional.ofNullable(pods.get(uid));
    if (pod.isEmpty() || pod.get().progress().deleting()) {
      return;
    }
    var before = pod.get().progress();
    store(
        pod.get()
            .at(
                new Pod.Progress(
                    before.phase(),
                    before.nodeName(),
                    before.nominatedNode(),
                    true,
                    before.gates())));
    after(
        between(0, before.nodeName().isPresent() ? longestEndingMillis : 10),
        () -> {
          var gone = pods.remove(uid);
          muster.deliver(new Event.PodGone(gone.key()));
          scheduler.freed(uid);
          if (ownersReplace && gone.origin().controllerUid().isPresent()) {
            after(between(10, 1000), () -> replace(gone));
          }
        });
  }

  /** An owner that makes such members anew, whatever the others do. */
  void remake(String uid) {
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
                true,
                Optional.empty(),
                new Pod.Pinning(true, gone.origin().pinning().allowed(), Optional.empty()),
                gone.origin().priority(),
                gone.origin().labels()),
            gone.membership(),
            gone.later(),
            gone.observed(),
            gone.wishes());
    create(fresh);
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
        pod.at(
            new Pod.Progress(
                phase,
                before.nodeName(),
                Optional.empty(),
                before.deleting(),
                before.gates(),
                refusal)));
    scheduler.freed(uid);
  }

  void kill() {
    muster.kill();
    scheduler.lostMuster();
  }

  void startMuster() {
    muster.start();
  }

  void restartAfter(Duration down) {
    kill();
    after(down.toMillis(), this::startMuster);
  }

  void at(Duration offset, Runnable action) {
    at(Instant.EPOCH.plus(offset), action);
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

  private static Set<String> without(Set<String> gates, String gate) {
    var left = new HashSet<>(gates);
    left.remove(gate);
    return left;
  }

  private static Pod.Progress gatedProgress(Pod pod) {
    var gates = new HashSet<>(pod.progress().gates());
    gates.add(Pod.GATE);
    return new Pod.Progress(
        pod.progress().phase(), Optional.empty(), Optional.empty(), false, gates);
  }

  // --- the apiserver ---

  void store(Pod pod) {
    pods.put(pod.key().uid(), pod);
    muster.deliver(new Event.PodSeen(pod));
  }

  /** Says whether it was stored. */
  boolean writeRecord(Effect.WriteRecord write) {
    boolean fails = random.nextInt(100) < writeFailures;
    if (!fails) {
      writeReport(write.gang(), write.report());
      if (write.gang().placement().size() >= write.gang().minAvailable()) {
        recordedWhole.addAll(write.gang().placement().keySet());
      }
    }
    return !fails;
  }

  void writeReport(GangRecord record, GangReport report) {
    gangWrites++;
    records.put(record.gang(), record);
    reports.put(record.gang(), report);
  }

  BindingOutcome writeBinding(Effect.Bind bind) {
    var pod = pods.get(bind.pod().uid());
    if (random.nextInt(100) < writeFailures) {
      return new BindingOutcome.Failed("timeout");
    }
    if (pod == null || pod.progress().deleting()) {
      return new BindingOutcome.Lost("gone");
    }
    if (pod.isBound()) {
      return pod.progress().nodeName().equals(Optional.of(bind.node()))
          ? new BindingOutcome.Bound()
          : new BindingOutcome.Lost("bound elsewhere");
    }
    if (pod.isGated()) {
      return new BindingOutcome.Failed("gated");
    }
    checkPromise(pod);
    bind(
        pod,
        bind.node(),
        Optional.of(bind.incarnation()).filter(known -> known > 0).map(known -> known.toString()));
    return new BindingOutcome.Bound();
  }

  /** The pod starts on that node, stamped by Muster or not. */
  void bind(Pod pod, String node, Optional<String> stamp) {
    store(
        PodBuilder.bound(
            pod,
            new Pod.Progress(
                Pod.Phase.RUNNING, Optional.of(node), Optional.empty(), false, Set.of()),
            stamp));
    checkCapacity(node);
    scheduler.bound(pod, node);
  }

  void ungate(Effect.Ungate ungate) {
    var key = ungate.pod();
    var pod = pods.get(key.uid());
    if (pod != null && pod.isGated()) {
      var before = pod.progress();
      var free =
          pod.at(
              new Pod.Progress(
                  before.phase(),
                  before.nodeName(),
                  Optional.empty(),
                  before.deleting(),
                  without(before.gates(), Pod.GATE)));
      store(ungate.pin().map(pin -> PodBuilder.tied(free, pin)).orElse(free));
      scheduler.enqueue(key.uid(), Duration.ZERO);
    }
  }

  void release(Effect.Release release) {
    var pod = pods.get(release.pod().uid());
    if (pod == null || !pod.isGated() || random.nextInt(100) < writeFailures) {
      return;
    }
    if (!recordedWhole.contains(release.pod().uid())) {
      faults.add(now + " " + pod.key() + " released without a whole record");
    }
    var before = pod.progress();
    var free =
        new Pod.Progress(
            before.phase(), before.nodeName(), Optional.empty(), before.deleting(), Set.of());
    var stamped = PodBuilder.bound(pod, free, Optional.of(Long.toString(release.incarnation())));
    store(PodBuilder.tied(stamped, release.pin()));
    scheduler.enqueue(release.pod().uid(), Duration.ZERO);
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
          if (!covered && !looksOn(pod)) {
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

  long between(int from, int to) {
    return (long) from + random.nextInt(to - from + 1);
  }

  /** Runs the action at that moment, after all that was planned for it before. */
  void at(Instant moment, Runnable action) {
    steps.add(new Step(moment, order++, action));
  }

  void after(long millis, Runnable action) {
    at(now.plusMillis(millis), action);
  }
}
