package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Filter;
import io.muster.extender.core.decision.filter.InTreeVictims;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.forecast.PlacementQueries;
import io.muster.extender.core.decision.limit.RunTimeLimits;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.loss.Rejections;
import io.muster.extender.core.decision.loss.ReleasedCapacity;
import io.muster.extender.core.decision.loss.ReplacementPlaces;
import io.muster.extender.core.decision.observe.ObservedGangs;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.decision.observe.TermsUpdates;
import io.muster.extender.core.decision.permit.CompanionAnswers;
import io.muster.extender.core.decision.permit.Expiry;
import io.muster.extender.core.decision.permit.PermitBarrier;
import io.muster.extender.core.decision.permit.Repair;
import io.muster.extender.core.decision.recovery.BypassedMembers;
import io.muster.extender.core.decision.recovery.FaultedGangs;
import io.muster.extender.core.decision.recovery.GangRecovery;
import io.muster.extender.core.decision.report.Explanations;
import io.muster.extender.core.decision.report.Reporter;
import io.muster.extender.core.decision.report.UsageReading;
import io.muster.extender.core.decision.reserve.DeferredReservations;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.NodePins;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.scheduling.QueueStatus;
import io.muster.extender.core.decision.scheduling.SchedulingCycle;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Gangs;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.shadow.ShadowCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The flow of a gang, from its first member to its last binding, and on.
 *
 * <ol>
 *   <li>{@link SchedulingCycle}: gangs wait in one order; one that fits gets its {@link
 *       Reservations} whole.
 *   <li>{@link Filter} sends each member to its place.
 *   <li>{@link PermitBarrier} holds their bind calls until enough have come, records, binds.
 *   <li>{@link Repair} completes or undoes what was cut off.
 *   <li>{@link Reporter} says why.
 * </ol>
 *
 * <p>Guaranteed: no member of a gang is bound unless minAvailable members hold a validated place.
 * Time comes in with each call; nothing here waits. Confined to one thread at a time: callers hold
 * one lock.
 */
public final class GangScheduler {

  private final ClusterState cluster;
  private final Reservations reservations;
  private final Filter filter;
  private final Singles singles;
  private final ShadowGangs shadow;
  private final TermsUpdates termsUpdates;
  private final ObservedGangs observed;
  private final PermitBarrier barrier;
  private final CompanionAnswers companions;
  private final SchedulingCycle schedulingCycle;
  private final FaultedGangs faulted;
  private final PeriodicWork time;
  private final Reporter reporter;
  private final QueueStatus queueStatus;
  private final RunTimeLimits limits;
  private final UsageReading usage;
  private final PlacementQueries placementQueries;
  private final PodEvents podEvents;

  public GangScheduler(Deadlines deadlines, Rules rules) {
    cluster = new ClusterState(deadlines, rules);
    var plans = new GangPlans(cluster);
    var pins = new NodePins(cluster);
    reservations = new Reservations(cluster, plans, pins);
    faulted = new FaultedGangs(cluster, reservations);
    var explanations = new Explanations(cluster, plans);
    var replacements = new ReplacementPlaces(cluster, plans, reservations);
    var deferred = new DeferredReservations(cluster, plans, reservations);
    var rejections = new Rejections(cluster, reservations);
    filter = new Filter(cluster, reservations);
    singles = new Singles(cluster, reservations);
    shadow = new ShadowGangs(cluster, reservations, explanations);
    observed = new ObservedGangs(cluster, explanations);
    termsUpdates = new TermsUpdates(cluster, reservations, shadow, observed);
    barrier = new PermitBarrier(cluster, reservations, singles, shadow);
    companions = new CompanionAnswers(cluster, reservations, barrier);
    var expiry = new Expiry(cluster, reservations, barrier);
    var repair = new Repair(cluster, plans, barrier);
    var releasedCapacity = new ReleasedCapacity(cluster);
    var memberFailures =
        new MemberFailures(cluster, reservations, replacements, singles, releasedCapacity);
    var unmarked = new BypassedMembers(cluster);
    podEvents =
        new PodEvents(
            cluster,
            new PodEvents.Parts(
                reservations, deferred, rejections, releasedCapacity, memberFailures, barrier),
            shadow,
            observed);
    schedulingCycle =
        new SchedulingCycle(cluster, plans, reservations, barrier, memberFailures, deferred);
    reporter = new Reporter(cluster);
    queueStatus = new QueueStatus(cluster);
    limits = new RunTimeLimits(cluster, barrier, memberFailures);
    time =
        new PeriodicWork(
            cluster,
            new PeriodicWork.Parts(
                expiry,
                rejections,
                memberFailures,
                deferred,
                unmarked,
                repair,
                schedulingCycle,
                companions,
                explanations,
                reporter),
            new PeriodicWork.Common(
                shadow, observed, releasedCapacity, podEvents, singles, queueStatus, limits));
    usage = new UsageReading(cluster);
    placementQueries = new PlacementQueries(cluster, reservations);
  }

  /** Takes an event in; the effects are to be carried out in order. */
  public List<Effect> on(Event event, Instant now) {
    attempt(event, now);
    return finish(now);
  }

  /** Takes in what happened at one moment, in order, and then checks the queue once. */
  public List<Effect> onAll(List<Event> events, Instant now) {
    events.forEach(event -> attempt(event, now));
    return finish(now);
  }

  /**
   * What was decided before a call ended with a fault of Muster's own; to be asked for once after
   * each.
   */
  public List<Effect> afterFault(Instant now) {
    return finish(now);
  }

  /** A fault in it ends the event, and nothing else. */
  private void attempt(Event event, Instant now) {
    var gang = gangOf(event);
    try {
      take(event, now);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      cluster.faults().note(event.getClass().getSimpleName(), gang.or(() -> gangOf(event)), e);
    }
  }

  private Optional<GangState> gangOf(Event event) {
    return switch (event) {
      case Event.PodSeen(Pod pod) -> cluster.knownGangOf(pod);
      case Event.PodGone(PodKey pod) -> cluster.pod(pod.uid()).flatMap(cluster::knownGangOf);
      case Event.RecordFound(GangRecord found, _) -> gang(found.gang());
      case Event.RecordWritten written -> gang(written.gang());
      case Event.BindingEnded ended -> gang(ended.gang());
      case Event.CompanionsEnsured ensured -> needing(ensured.gang());
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.RecordGone _,
          Event.TermsSeen _,
          Event.TermsGone _,
          Event.NamespaceSeen _,
          Event.NamespaceGone _,
          Event.BudgetSeen _,
          Event.BudgetGone _,
          Event.NamespaceQuotaSeen _,
          Event.NamespaceQuotaGone _,
          Event.QueuesSet _,
          Event.DomainsServed _,
          Event.LevelsSet _,
          Event.Released _,
          Event.LeaseHeld _,
          Event.Ready _,
          Event.StartsEstimated _,
          Event.Tick _ ->
          Optional.empty();
    };
  }

  /** A fault in the answer ends the call; the gang of the pod is left alone. */
  private <T> T answering(Optional<GangState> gang, Supplier<T> answer) {
    try {
      return answer.get();
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      gang.ifPresent(asked -> cluster.faults().blame(asked, e));
      throw e;
    }
  }

  private void take(Event event, Instant now) {
    switch (event) {
      case Event.NodeSeen(Node node) -> {
        var before = cluster.inventory().room(node.name()).map(NodeState::node);
        if (before.filter(node::equals).isEmpty()) {
          cluster.inventory().seen(node);
          podEvents.nodeChanged(node.name(), now);
        }
      }
      case Event.NodeGone(String name) -> {
        cluster.inventory().gone(name);
        podEvents.nodeChanged(name, now);
      }
      case Event.TermsSeen(TermsObject object, Optional<Terms> terms) ->
          termsUpdates.stated(object, terms).forEach(pod -> podEvents.podSeen(pod, now));
      case Event.TermsGone(TermsObject object) ->
          termsUpdates.withdrawn(object).forEach(pod -> podEvents.podSeen(pod, now));
      case Event.NamespaceSeen(String name, Enrolment enrolment) ->
          shadow.enrolled(name, Optional.of(enrolment), now);
      case Event.NamespaceGone(String name) -> shadow.enrolled(name, Optional.empty(), now);
      case Event.BudgetSeen(Budget budget) -> cluster.budgetSeen(budget);
      case Event.BudgetGone(String namespace, String name) -> cluster.budgetGone(namespace, name);
      case Event.NamespaceQuotaSeen(NamespaceQuota quota) -> cluster.namespaceQuotas().seen(quota);
      case Event.NamespaceQuotaGone(String namespace, String name) ->
          cluster.namespaceQuotas().gone(namespace, name);
      case Event.QueuesSet(Queues queues) -> {
        cluster.queues().configure(queues);
        rulesChanged();
      }
      case Event.LevelsSet(Levels levels) -> {
        cluster.inventory().levels(levels);
        rulesChanged();
      }
      case Event.Released(boolean released) -> shadow.released(released, now);
      case Event.PodSeen(Pod pod) -> {
        cluster.confirm(pod.key().uid());
        podEvents.podSeen(pod, now);
        if (cluster.schedulerCalls().takeAskedEarly(pod.key().uid())
            && !pod.isBound()
            && !pod.isTerminal()) {
          cluster.wake(pod.key());
        }
      }
      case Event.PodGone(PodKey pod) -> {
        cluster.hearsay().settle(pod.uid());
        podEvents.podGone(pod, now);
      }
      case Event.RecordFound(GangRecord found, Optional<Instant> since) -> {
        if (!shadow.takes(found, now)) {
          recordFound(found, since);
        }
      }
      case Event.RecordGone(GangId id) -> recordGone(id, now);
      case Event.LeaseHeld(Instant until, boolean followsAnother) ->
          cluster.leaseHeld(until, followsAnother);
      case Event.Ready _ -> beginLife(now);
      case Event.RecordWritten(GangId id, long epoch, boolean stored) -> {
        if (!limits.recordWritten(id, epoch, stored, now)) {
          gang(id).ifPresent(gang -> barrier.recordWritten(gang, epoch, stored, now));
        }
      }
      case Event.CompanionsEnsured ensured ->
          needing(ensured.gang()).ifPresent(gang -> companions.ensured(gang, ensured, now));
      case Event.DomainsServed(boolean served) -> companions.served(served);
      case Event.BindingEnded ended -> {
        if (!singles.bindingEnded(ended, now)) {
          gang(ended.gang()).ifPresent(gang -> barrier.bindingEnded(gang, ended, now));
        }
      }
      case Event.StartsEstimated estimated -> queueStatus.estimated(estimated, now);
      case Event.Tick(boolean tells) -> time.advance(now, tells);
    }
  }

  /** Answers filter. The pod is the one in the call; repeating the call changes nothing. */
  public Decision filter(Pod pod, List<String> offered, Instant now) {
    if (cluster.isGone(pod.key().uid()) && !cluster.hearsay().isGivenUp(pod.key().uid())) {
      return new Decision(new Answer.Refuse(Filter.GONE), List.of());
    }
    cluster.schedulerCalls().asks(pod.origin().schedulerName());
    cluster.schedulerCalls().asked(pod.key().uid(), now);
    if (cluster.pod(pod.key().uid()).isEmpty()) {
      if (mayBeOfAnotherLife(pod) || cluster.hearsay().isGivenUp(pod.key().uid())) {
        cluster.schedulerCalls().askedEarly(pod.key().uid(), now);
        return new Decision(new Answer.Refuse(Filter.NOT_SEEN), finish(now));
      }
      cluster.hearsay().note(pod.key(), now);
      podEvents.podSeen(pod, now);
    }
    var known = cluster.pod(pod.key().uid()).orElse(pod);
    if (shadow.covers(known)) {
      return new Decision(new Answer.Accept(offered, ""), finish(now));
    }
    plan(now);
    var answer = answering(cluster.knownGangOf(known), () -> filter.answer(known, offered, now));
    return new Decision(answer, finish(now));
  }

  /**
   * kube-scheduler may have seen the end of a started gang, and the first members of its next life,
   * before Muster has: whether a new one replaces a member or begins that life shows in what comes
   * before it.
   */
  private boolean mayBeOfAnotherLife(Pod pod) {
    return cluster.isAsked()
        && !shadow.covers(pod)
        && cluster.knownGangOf(pod).filter(gang -> gang.satisfied()).isPresent();
  }

  /** Answers filter about a pod that was seen in the cluster; empty if it was not. */
  public Optional<Decision> filterKnown(PodKey pod, List<String> offered, Instant now) {
    return cluster.pod(pod.uid()).map(known -> filter(known, offered, now));
  }

  /** Ranks nodes for a pod that has no place of its own. */
  public Answer.Scores prioritize(Pod pod, List<String> offered) {
    return shadow.covers(pod) ? new Answer.Scores(Map.of()) : filter.scores(pod, offered);
  }

  /** Takes a bind call; its answer is among these effects or among those of a later event. */
  public List<Effect> bind(BindCall call, Instant now) {
    answering(
        cluster.pod(call.pod().uid()).flatMap(cluster::knownGangOf),
        () -> {
          barrier.bind(call, now);
          return call;
        });
    return finish(now);
  }

  /**
   * The nodes on which a preemption for this pod may go on: for a member of a gang none; for others
   * those where it leaves no gang below its minimum, if there are such nodes, else all.
   *
   * @param victims uids by node
   */
  public Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    if (shadow.covers(pod)) {
      return victims.keySet();
    }
    boolean isMember = cluster.objects().complete(pod).membership().isPresent();
    return isMember ? Set.of() : InTreeVictims.sparing(cluster, victims);
  }

  /** Gangs by phase, for metrics. */
  public Map<Phase, Long> gangsByPhase() {
    return cluster.gangs().all().stream()
        .filter(gang -> !gang.members.isEmpty())
        .collect(Collectors.groupingBy(gang -> gang.phase(), Collectors.counting()));
  }

  /** What gangs wait for, keep and waste now, for metrics; nothing before {@link Event.Ready}. */
  public Usage usage(Instant now) {
    return cluster.isReady() ? usage.read(now) : Usage.NONE;
  }

  /** Who waits for what, and what would change it. */
  public PlacementQueries placementQueries() {
    return placementQueries;
  }

  /** What it goes by now; empty where no gang waits with enough members. */
  public Optional<ClusterCopy> copy(Instant now) {
    return cluster.isReady() && cluster.gangs().all().stream().anyMatch(Gangs::waits)
        ? Optional.of(new Copying(cluster, shadow).copy(now))
        : Optional.empty();
  }

  /** Takes over what another has learned of how long gangs run. */
  public void learn(Map<String, Duration> runTimes) {
    runTimes.forEach(cluster.runTimes().learned()::note);
  }

  /** What has happened since the last such question, for metrics. */
  public Milestones takeMilestones() {
    return cluster.metricsEvents().take();
  }

  /** What has been counted in namespaces in shadow since the last such question, by namespace. */
  public Map<String, ShadowCounts> takeShadowCounts(Instant now) {
    return shadow.takeCounts(now);
  }

  /** All that is known, as it is read from outside. */
  ClusterState cluster() {
    return cluster;
  }

  /** Those that are bound one by one, for the same. */
  Singles singles() {
    return singles;
  }

  /** Whether it will be tried when its time has come or something has changed, for the same. */
  boolean isQueued(GangState gang) {
    return schedulingCycle.isQueued(gang);
  }

  /** An answer and what goes with it. */
  public record Decision(Answer answer, List<Effect> effects) {}

  private void rulesChanged() {
    schedulingCycle.beginAnew();
    for (var gang : cluster.gangs().all()) {
      gang.lastTry.forgetFailure();
      gang.entry.withheld(Optional.empty());
      gang.activate();
    }
    cluster.planAgain();
  }

  /** One of a group goes by the name of another. */
  private Optional<GangState> needing(GangId id) {
    return gang(id)
        .filter(gang -> gang.terms.needingCompanions().contains(id))
        .or(() ->
            cluster.gangs().all().stream()
                .filter(gang -> gang.terms.needingCompanions().contains(id))
                .findFirst());
  }

  private Optional<GangState> gang(GangId id) {
    return cluster.gangs().find(id);
  }

  private List<Effect> finish(Instant now) {
    plan(now);
    faulted.settle(now);
    return cluster.takeEffects();
  }

  private void plan(Instant now) {
    if (cluster.isReady() && cluster.takePlanningDue()) {
      cluster.faults().run("line", () -> schedulingCycle.advance(now));
      // What planning itself frees or takes is seen at the next event.
      cluster.takePlanningDue();
    }
  }

  private void recordFound(GangRecord found, Optional<Instant> since) {
    var gang = cluster.gang(found.gang());
    gang.goOn(found);
    if (found.phase() == Phase.FINISHED) {
      since.ifPresent(gang::isEmptySince);
    }
    gang.enter(found.phase());
    gang.record.find(found.placement());
  }

  /** What is stored of a gang that lives is what the next life of Muster goes on from. */
  private void recordGone(GangId id, Instant now) {
    limits.recordGone(id);
    needing(id).ifPresent(gang -> gang.companions.gone(id));
    cluster.gangs().all().stream()
        .filter(gang -> gang.told.of(id).isPresent() && !gang.members.isEmpty())
        .findFirst()
        .ifPresent(gang -> {
          gang.told.forget(id);
          gang.activate();
          if (cluster.isReady()) {
            reporter.store(gang, now);
          }
        });
  }

  /** After everything stored has been told: takes up each gang where an earlier life left it. */
  private void beginLife(Instant now) {
    cluster.begin();
    dropCovered();
    for (var gang : List.copyOf(cluster.gangs().all())) {
      cluster.faults().run("take up", gang, () -> takeUp(gang, now));
    }
    cluster.faults().run("restore", () -> schedulingCycle.restore(now));
    cluster.planAgain();
  }

  private void takeUp(GangState gang, Instant now) {
    if (!limits.resume(gang, now)) {
      GangRecovery.resume(cluster, gang, now);
    }
  }

  /** The objects of a group's other gangs hold no state of their own. */
  private void dropCovered() {
    for (var gang : List.copyOf(cluster.gangs().all())) {
      if (!gang.members.isEmpty()) {
        gang.terms.gangs().stream()
            .filter(id -> !id.equals(gang.id))
            .filter(id -> gang(id).filter(other -> other.members.isEmpty()).isPresent())
            .forEach(cluster.gangs()::remove);
      }
    }
  }
}
