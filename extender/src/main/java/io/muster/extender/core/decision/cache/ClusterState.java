package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.burst.Companions;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Gangs;
import io.muster.extender.core.decision.state.Locations;
import io.muster.extender.core.decision.terms.ObjectTerms;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything the protocol knows: pods, gangs, the ledger, and the effects gathered while one event
 * is handled. Confined to the decision thread.
 */
public final class ClusterState {

  private static final Duration GONE_KEPT = Duration.ofMinutes(2);

  private final Deadlines deadlines;
  private final Rules rules;
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final Inventory inventory = new Inventory();
  private final KnownPods pods = new KnownPods();

  private final TimeOfDay timeOfDay = new TimeOfDay();
  private final Gangs gangs = new Gangs(timeOfDay::latest);
  private final ObjectTerms objects = new ObjectTerms();

  private final SchedulerCalls schedulerCalls = new SchedulerCalls();

  /** Pods that only a call has named, and since when; see {@link HearsayPods}. */
  private final HearsayPods hearsay = new HearsayPods();

  /** Pods without a gang, or beyond their gang's minimum, that were refused for want of room. */
  private final Map<String, Pod> refusedSingles = new LinkedHashMap<>();

  private final Budgets budgets = new Budgets();
  private final NamespaceQuotas namespaceQuotas = new NamespaceQuotas();
  private final QueueUsage queues = new QueueUsage(this);
  private final ExpectedRunTimes runTimes = new ExpectedRunTimes(queues);
  private final BackfillHolds backfillHolds = new BackfillHolds(this);
  private final NominatedPods nominatedPods = new NominatedPods(this);
  private final MetricsEvents metricsEvents = new MetricsEvents();

  /** Devices by holder that are as good as free: see {@code ReleasedCapacity}. */
  private final Map<String, Long> leftDevices = new LinkedHashMap<>();

  private final FaultBoundary faults = new FaultBoundary(this::emit);
  private List<Effect> effects = new ArrayList<>();
  private boolean planningDue;
  private boolean isReady;
  private Instant leaseUntil = Instant.MIN;
  private boolean followsAnother;
  private boolean servesDomains = true;
  private long turn;

  public ClusterState(Deadlines deadlines, Rules rules) {
    this.deadlines = deadlines;
    this.rules = rules;
  }

  /** All that is stored has been told. */
  public void begin() {
    isReady = true;
    timeOfDay.begin();
  }

  /** Whether all that is stored has been told: nothing is decided before. */
  public boolean isReady() {
    return isReady;
  }

  /** Whether members are tied to their places in a cluster of this size. */
  public boolean pins() {
    return rules.pins().pinsAmong(inventory.nodeCount());
  }

  /** Whether kube-scheduler asks Muster, and leaves the Bindings of members to it. */
  public boolean isAsked() {
    return rules.placement().isAsked();
  }

  /**
   * Whether kube-scheduler may bind the member at any time, and asks nobody: a gate cannot be put
   * back, nor can a patch that takes it off be called back.
   */
  public boolean mayBeBound(GangState gang, Pod pod) {
    return !isAsked() && (!pod.isGated() || gang.gateRemovals.isSent(pod.key().uid()));
  }

  public Rules rules() {
    return rules;
  }

  public Deadlines deadlines() {
    return deadlines;
  }

  public Planner planner() {
    return planner;
  }

  public Inventory inventory() {
    return inventory;
  }

  public Budgets budgets() {
    return budgets;
  }

  public NamespaceQuotas namespaceQuotas() {
    return namespaceQuotas;
  }

  public QueueUsage queues() {
    return queues;
  }

  public ExpectedRunTimes runTimes() {
    return runTimes;
  }

  public BackfillHolds backfillHolds() {
    return backfillHolds;
  }

  public NominatedPods nominatedPods() {
    return nominatedPods;
  }

  public KnownPods pods() {
    return pods;
  }

  /** What is known of its gang. */
  public Optional<GangState> knownGangOf(KnownPods.Held held) {
    return held.unit().flatMap(gangs::find);
  }

  /**
   * The pod as it is now, with what was true when it got its place: one that had a controller then
   * counts as if it had it still.
   */
  public Pod asPlaced(Pod pod) {
    var uid = pod.key().uid();
    boolean wasControlled = pod(uid).filter(Pod::isControlled).isPresent();
    return wasControlled && !pod.isControlled() && inventory.nodeOf(uid).isPresent()
        ? pod.asControlled()
        : pod;
  }

  public void seen(Pod pod) {
    pods.seen(pod);
    if (pod.isBound() && !pod.isTerminal()) {
      schedulerCalls.placed(pod.key().uid());
    }
  }

  public Map<String, Pod> refusedSingles() {
    return refusedSingles;
  }

  public Gangs gangs() {
    return gangs;
  }

  public ObjectTerms objects() {
    return objects;
  }

  public MetricsEvents metricsEvents() {
    return metricsEvents;
  }

  public TimeOfDay timeOfDay() {
    return timeOfDay;
  }

  public Optional<Pod> pod(String uid) {
    return pods.find(uid);
  }

  public void noteGone(String uid, Instant now) {
    pods.gone(uid, now);
    objects.gone(uid);
    schedulerCalls.gone(uid);
    nominatedPods.gone(uid);
  }

  /** A watch has shown the pod, whatever was taken to have become of it. */
  public void confirm(String uid) {
    if (hearsay.isGivenUp(uid)) {
      pods.isBack(uid);
    }
    hearsay.settle(uid);
  }

  public void forgetGone(Instant now) {
    var oldest = now.minus(GONE_KEPT);
    pods.forget(oldest);
    schedulerCalls.forget(oldest);
    hearsay.forget(oldest);
  }

  public SchedulerCalls schedulerCalls() {
    return schedulerCalls;
  }

  public HearsayPods hearsay() {
    return hearsay;
  }

  public GangState gang(GangId id) {
    return gangs.get(id);
  }

  public Optional<GangState> gangOf(Pod pod) {
    return unitOf(pod).map(this::gang);
  }

  /** The same, but only where something is known of it already. */
  public Optional<GangState> knownGangOf(Pod pod) {
    return pod.membership().flatMap(this::knownGangOf);
  }

  public Optional<GangState> knownGangOf(Membership member) {
    return gangs.find(unitOf(member));
  }

  public static Optional<GangId> unitOf(Pod pod) {
    return pod.membership().map(ClusterState::unitOf);
  }

  /** A group of gangs goes by the name of the one that sorts first. */
  private static GangId unitOf(Membership membership) {
    return membership.terms() instanceof Terms.Usable usable
        ? membership.gang().sibling(usable.groups().first())
        : membership.gang();
  }

  public FaultBoundary faults() {
    return faults;
  }

  public void emit(Effect effect) {
    effects.add(effect);
  }

  public List<Effect> takeEffects() {
    var taken = effects;
    effects = new ArrayList<>();
    return List.copyOf(taken);
  }

  public void leaseHeld(Instant until, boolean afterAnother) {
    leaseUntil = until;
    followsAnother = afterAnother;
  }

  /** Whether a burst that begins now ends before the lease does. */
  public boolean leaseCoversBurst(Instant now) {
    return !now.plus(deadlines.burst()).isAfter(leaseUntil);
  }

  /** Whether an earlier leader may still be writing the Bindings of a burst. */
  public boolean followsAnother() {
    return followsAnother;
  }

  /** Asks for the queue to be checked once this event is handled. */
  public void planAgain() {
    planningDue = true;
  }

  public boolean takePlanningDue() {
    var due = planningDue;
    planningDue = false;
    return due;
  }

  /** Frees what the holder has reserved; others may fit now. */
  public void release(String holder) {
    if (inventory.release(holder)) {
      planAgain();
    }
  }

  /** Keeps what a member has left, for a moment, until all of its gang has gone. */
  public void keepLeft(String holder, String node, Resources requests) {
    inventory.occupy(holder, node, requests);
    leftDevices.put(holder, requests.devices());
  }

  /** Gives it out. */
  public void giveOut(String holder) {
    leftDevices.remove(holder);
    release(holder);
  }

  /** What is kept that way: the devices by holder. */
  public Map<String, Long> leftDevices() {
    return leftDevices;
  }

  /** Frees a reservation unless the pod is really on a node. */
  public void releaseUnbound(String uid) {
    if (pod(uid).filter(pod -> pod.isBound() && !pod.isTerminal()).isEmpty()) {
      release(uid);
    }
  }

  /**
   * Takes Muster's gate off a member; {@code GateRemovals} sees that it comes off. One that joins a
   * gang which has started without what it needs itself keeps it until that is made.
   */
  public void ungate(GangState gang, Pod pod, Optional<NodePin> pin) {
    if (gang.satisfied() && Companions.areNeededBy(pod) && !gang.hasCompanions()) {
      ensureCompanions(gang);
      return;
    }
    boolean hasAffinity = !pod.demand().preferred().isEmpty();
    // Where kube-scheduler asks, a Binding stamps it.
    var effect =
        isAsked()
            ? new Effect.Ungate(pod.key(), pin, hasAffinity, false, Effect.Location.UNTOLD)
            : new Effect.Ungate(
                pod.key(),
                pin,
                hasAffinity,
                pod.isControlled(),
                new Locations(gang, gangs, inventory)
                    .of(pod, pin.map(NodePin::nodes).orElse(List.of())));
    gang.gateRemovals.sent(effect);
    emit(effect);
  }

  /** Whether the cluster has ComputeDomains. */
  public boolean servesDomains() {
    return servesDomains;
  }

  public void servesDomains(boolean served) {
    servesDomains = served;
  }

  /** Has made what the gang needs before a gate is opened, where that is not under way. */
  public void ensureCompanions(GangState gang) {
    gang.companions
        .takeMissing(gang.counts.companions())
        .forEach(id -> {
          var group =
              Optional.of(id).filter(gang.terms.grouped()::contains).map(of -> group(gang, of));
          group.ifPresent(_ -> gangs.makesPodGroup(id));
          boolean claims = gang.terms.claimingNvlink().contains(id);
          emit(new Effect.EnsureCompanions(gang.toRecord(id), claims, group));
        });
  }

  private static Effect.Group group(GangState gang, GangId id) {
    var members = gang.members.live().stream().filter(pod -> pod.isOf(id)).toList();
    return new Effect.Group(
        gang.counts.minCountOf(id),
        members.stream().findFirst().map(Pod::key),
        Members.sharedController(members).isPresent(),
        Members.sharedPriority(members),
        gang.satisfied());
  }

  /** Has kube-scheduler try a refused pod again. */
  public void wake(PodKey pod) {
    emit(new Effect.Wake(pod, nextTurn()));
  }

  /** A number that this life of Muster has not given out before. */
  public long nextTurn() {
    return ++turn;
  }
}
