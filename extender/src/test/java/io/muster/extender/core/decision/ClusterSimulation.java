package io.muster.extender.core.decision;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Queue;
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
import java.util.function.Predicate;

/**
 * A cluster in virtual time: an apiserver that stores what Muster writes, informers that deliver
 * late to a {@link SimulatedMuster}, and a {@link SimulatedScheduler}. Every delay is drawn from
 * one seeded source, so a run can be repeated. Muster can be killed and started again at any step;
 * then only what was stored is left.
 */
final class ClusterSimulation {

  private record Step(Instant at, long order, Runnable action) {}

  /** The defaults, but that backfill reservations end before a run does. */
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
  final List<NamespaceQuota> namespaceQuotas = new ArrayList<>();
  final TreeMap<String, Node> nodes = new TreeMap<>();
  final Map<String, Pod> pods = new LinkedHashMap<>();
  final Map<GangId, GangRecord> records = new HashMap<>();
  final Map<GangId, GangReport> reports = new HashMap<>();
  final Set<GangId> domains = new HashSet<>();

  /** The minimum of each gang's PodGroup. */
  final Map<GangId, Integer> groups = new HashMap<>();

  final List<Effect> explained = new ArrayList<>();
  final List<Effect.Announce> announced = new ArrayList<>();
  final List<Effect.Evict> evictions = new ArrayList<>();
  final List<String> shown = new ArrayList<>();
  final List<String> hidden = new ArrayList<>();
  final List<String> faults = new ArrayList<>();

  final SimulatedScheduler scheduler;
  final SimulatedApi api = new SimulatedApi(this);
  final SimulatedMuster muster;

  /** Chance in percent that a write of Muster fails without having been done. */
  int writeFailures;

  Instant leaseUntil = Instant.MAX;

  /** Records that were to be stored so far, whatever came of it. */
  int recordWrites;

  /** Records and reports stored so far. */
  int gangWrites;

  /** Writes by which refused pods were to be tried again. */
  int wakes;

  boolean followsAnother;

  /** How long the API server may take to store a Gang object. */
  int longestGangWriteMillis = 20;

  /** How long it may take to bind a pod, to take a gate off it, to wake or to delete it. */
  int longestPodWriteMillis = 30;

  /** How long a pod that runs may take to end once it is deleted. */
  int longestEndingMillis = 2_000;

  /** Whether pods that have longer than that to end take as long as they have. */
  boolean gracesAreUsedUp;

  /** Which pods never end once they are on a node, however long ago they were deleted. */
  Predicate<Pod> neverEnds = _ -> false;

  /** Whether owners make deleted pods anew, under the same name, as a Job or StatefulSet does. */
  boolean ownersReplace;

  /** Of which pods they do, where they do it at all. */
  Predicate<Pod> isReplaced = _ -> true;

  /** Whether nodes refuse to start pods for which they lack the devices. */
  boolean kubeletsRefuse;

  private int replacements;

  ClusterSimulation(long seed) {
    this(seed, Rules.extender(seed % 2 == 0 ? NodePinPolicy.ALWAYS : NodePinPolicy.NEVER));
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
  GangScheduler muster() {
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

  /** Somebody deletes the object of a gang. */
  void deleteRecord(GangId gang) {
    records.remove(gang);
    reports.remove(gang);
    muster.deliver(new Event.RecordGone(gang));
  }

  /** Somebody deletes the PodGroup that Muster has made for a gang. */
  void deleteGroup(GangId gang) {
    if (groups.remove(gang) != null) {
      muster.deliver(
          new Event.TermsGone(
              new TermsObject(
                  TermsObject.Kind.NATIVE_POD_GROUP, gang.namespace(), NativeGroup.nameOf(gang))));
    }
  }

  /** Of the PodGroup that its members are in: Muster's, or the object with their terms. */
  int minCountOf(GangId gang) {
    return objects.entrySet().stream()
        .filter(entry -> entry.getKey().kind() == TermsObject.Kind.NATIVE_POD_GROUP)
        .filter(entry -> entry.getKey().name().equals(gang.name()))
        .flatMap(entry -> entry.getValue().stream())
        .map(terms -> ((Terms.Usable) terms).minAvailable())
        .findFirst()
        .orElseGet(() -> groups.getOrDefault(gang, Integer.MAX_VALUE));
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

  /** There is one more ResourceQuota, or it leaves another number. */
  void limit(NamespaceQuota quota) {
    namespaceQuotas.add(quota);
    muster.deliver(new Event.NamespaceQuotaSeen(quota));
  }

  void unlimit(String namespace, String name) {
    namespaceQuotas.removeIf(
        quota -> quota.namespace().equals(namespace) && quota.name().equals(name));
    muster.deliver(new Event.NamespaceQuotaGone(namespace, name));
  }

  /** Muster is to let go of everything, or to come back. */
  void release(boolean released) {
    isReleased = released;
    muster.deliver(new Event.Released(released));
  }

  boolean looksOn(Pod pod) {
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
    if (pod.membership().isEmpty() || looksOn(pod)) {
      return pod;
    }
    var gated = pod.at(gatedProgress(pod));
    return rules.placement() == PlacementMode.NATIVE && pod.origin().grouping() == Pod.Grouping.NONE
        ? PodBuilder.grouped(gated)
        : gated;
  }

  /** Stores a pod without asking the webhook. */
  void createUnseen(Pod pod) {
    store(pod);
    scheduler.enqueue(pod.key().uid(), Duration.ZERO);
  }

  void delete(String uid) {
    Optional.ofNullable(pods.get(uid)).ifPresent(pod -> delete(pod, pod.wishes().grace()));
  }

  /** The pod has so long to end, and ends before that unless that is longer than pods here take. */
  void delete(Pod pod, Duration grace) {
    var before = pod.progress();
    if (before.deleting()) {
      return;
    }
    endBy(pod, now.plus(grace));
    long ending = between(0, before.nodeName().isPresent() ? longestEndingMillis : 10);
    if (before.nodeName().isEmpty() || !neverEnds.test(pod)) {
      after(isUsedUp(pod, grace) ? grace.toMillis() : ending, () -> vanish(pod.key().uid()));
    }
  }

  private boolean isUsedUp(Pod pod, Duration grace) {
    return gracesAreUsedUp && pod.isBound() && grace.toMillis() > longestEndingMillis;
  }

  private void endBy(Pod pod, Instant end) {
    var before = pod.progress();
    store(
        pod.at(
            new Pod.Progress(
                    before.phase(), before.nodeName(), before.nominatedNode(), true, before.gates())
                .endingBy(end)));
  }

  /** The same at Muster's wish, which may shorten the grace period. */
  void evict(String uid, Optional<Duration> longest) {
    var found = Optional.ofNullable(pods.get(uid));
    if (found.isEmpty()) {
      return;
    }
    var pod = found.get();
    var grace =
        longest
            .filter(most -> most.compareTo(pod.wishes().grace()) < 0)
            .orElse(pod.wishes().grace());
    if (!pod.progress().deleting()) {
      delete(pod, grace);
    } else if (longest.filter(most -> most.compareTo(pod.endsWithin(now)) < 0).isPresent()) {
      endBy(pod, now.plus(longest.get()));
      after(longest.get().toMillis(), () -> vanish(uid));
    }
  }

  /** The pod is gone. */
  void vanish(String uid) {
    var gone = pods.remove(uid);
    if (gone == null) {
      return;
    }
    muster.deliver(new Event.PodGone(gone.key()));
    scheduler.freed(uid);
    if (ownersReplace && gone.origin().controllerUid().isPresent() && isReplaced.test(gone)) {
      after(between(10, 1000), () -> replace(gone));
    }
  }

  /** An owner that makes such members anew, whatever the others do. */
  void remake(String uid) {
    var pod = Optional.ofNullable(pods.get(uid));
    if (pod.isEmpty() || pod.get().progress().deleting()) {
      return;
    }
    if (pod.get().isBound()) {
      return;
    }
    delete(uid);
    if (!ownersReplace || !isReplaced.test(pod.get())) {
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
                gone.origin().grouping(),
                true,
                Optional.empty(),
                false,
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
                refusal,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty())));
    scheduler.freed(uid);
  }

  /** The pod starts on that node, stamped by Muster or not. */
  void bind(Pod pod, String node, Optional<String> stamp) {
    bind(pod, node, stamp, _ -> true);
  }

  /**
   * The same by a Binding of Muster.
   *
   * @param isKnown of which pods on nodes Muster can have known when it sent the Binding
   */
  void bind(Pod pod, String node, Optional<String> stamp, Predicate<Pod> isKnown) {
    store(PodBuilder.bound(pod, pod.runningOn(node, now()).progress(), stamp));
    if (kubeletsRefuse) {
      after(50, () -> refuseIfFull(pod.key().uid(), node));
    } else {
      checkCapacity(node);
    }
    checkLimit(pod, isKnown);
    scheduler.bound(pod, node);
  }

  /** Where nobody asks, Muster cannot say no to members beyond the minimum. */
  private void checkLimit(Pod pod, Predicate<Pod> isKnown) {
    var queue = pod.wishes().hints().queue();
    long held =
        pods.values().stream()
            .filter(other -> other.isBound() && !other.isTerminal())
            .filter(other -> other.key().equals(pod.key()) || isKnown.test(other))
            .filter(other -> other.wishes().hints().queue().equals(queue))
            .mapToLong(other -> other.demand().requests().devices())
            .sum();
    boolean isAbove =
        queue.flatMap(queues::find).flatMap(Queue::limit).filter(limit -> held > limit).isPresent();
    if (isAbove && rules.placement() == PlacementMode.EXTENDER) {
      faults.add("%s queue %s holds %d with %s".formatted(now, queue, held, pod.key()));
    }
  }

  private void refuseIfFull(String uid, String node) {
    if (isOverfull(node)) {
      fail(uid, "OutOfnvidia.com/gpu");
      after(between(500, 3000), () -> delete(uid));
    }
  }

  /** A pod that was never asked about anybody comes to be on that node. */
  void land(Pod pod) {
    store(pod);
    scheduler.bound(pod, pod.progress().nodeName().orElseThrow());
  }

  private void checkCapacity(String node) {
    if (isOverfull(node)) {
      faults.add("%s %s holds more GPUs than it has".formatted(now, node));
    }
  }

  private boolean isOverfull(String node) {
    return nodes.containsKey(node) && freeGpus(node) < 0;
  }

  /** GPUs of that node that no pod holds. */
  long freeGpus(String node) {
    long used =
        pods.values().stream()
            .filter(pod -> !pod.isTerminal())
            .filter(pod -> pod.progress().nodeName().equals(Optional.of(node)))
            .mapToLong(pod -> pod.demand().requests().of("nvidia.com/gpu"))
            .sum();
    return nodes.get(node).allocatable().of("nvidia.com/gpu") - used;
  }

  void store(Pod pod) {
    pods.put(pod.key().uid(), pod);
    muster.deliver(new Event.PodSeen(pod));
  }

  void kill() {
    muster.kill();
    scheduler.lostMuster();
  }

  void startMuster() {
    if (api.isDown()) {
      after(500, this::startMuster);
    } else if (!muster.isUp()) {
      muster.start();
    }
  }

  void restartAfter(Duration down) {
    kill();
    after(down.toMillis(), this::startMuster);
  }

  /** Another process leads from then on; what this one has sent may arrive after that. */
  void changeLeaderAfter(Duration down) {
    muster.cutOff();
    scheduler.lostMuster();
    followsAnother = true;
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

  private static Pod.Progress gatedProgress(Pod pod) {
    var gates = new HashSet<>(pod.progress().gates());
    gates.add(Pod.GATE);
    return new Pod.Progress(
        pod.progress().phase(), Optional.empty(), Optional.empty(), false, gates);
  }

  /** Whether a write that can fail by itself does now. */
  boolean fails() {
    return random.nextInt(100) < writeFailures;
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
