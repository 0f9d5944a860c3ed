package io.muster.extender.core.decision;

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
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.query.LearnedRuns;
import io.muster.extender.core.shadow.ShadowCounts;
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
  private final Filter filter;
  private final Singles singles;
  private final ShadowGangs shadow;
  private final PermitBarrier barrier;
  private final SchedulingCycle schedulingCycle;
  private final FaultedGangs faulted;
  private final UsageReading usage;
  private final PlacementQueries placementQueries;
  private final PodEvents podEvents;
  private final EventHandling events;

  public GangScheduler(Deadlines deadlines, Rules rules) {
    cluster = new ClusterState(deadlines, rules);
    var plans = new GangPlans(cluster);
    var pins = new NodePins(cluster);
    var reservations = new Reservations(cluster, plans, pins);
    faulted = new FaultedGangs(cluster, reservations);
    var explanations = new Explanations(cluster, plans);
    var replacements = new ReplacementPlaces(cluster, plans, reservations);
    var deferred = new DeferredReservations(cluster, plans, reservations);
    var rejections = new Rejections(cluster, plans, reservations);
    filter = new Filter(cluster, plans, reservations);
    singles = new Singles(cluster, reservations);
    shadow = new ShadowGangs(cluster, reservations, explanations);
    var observed = new ObservedGangs(cluster, explanations);
    var termsUpdates = new TermsUpdates(cluster, reservations, shadow, observed);
    barrier = new PermitBarrier(cluster, reservations, singles, shadow);
    var companions = new CompanionAnswers(cluster, reservations, barrier);
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
    var reporter = new Reporter(cluster);
    var queueStatus = new QueueStatus(cluster);
    var limits = new RunTimeLimits(cluster, barrier, memberFailures);
    var time =
        new PeriodicWork(
            cluster,
            new PeriodicWork.Parts(
                termsUpdates,
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
    events =
        new EventHandling(
            cluster,
            new EventHandling.Parts(
                podEvents,
                termsUpdates,
                shadow,
                singles,
                barrier,
                companions,
                limits,
                memberFailures,
                schedulingCycle,
                queueStatus,
                reporter,
                time));
    usage = new UsageReading(cluster);
    placementQueries = new PlacementQueries(cluster, plans);
  }

  /** Takes an event in; the effects are to be carried out in order. */
  public List<Effect> on(Event event, Instant now) {
    events.take(event, now);
    return finish(now);
  }

  /** Takes in what happened at one moment, in order, and then checks the queue once. */
  public List<Effect> onAll(List<Event> together, Instant now) {
    together.forEach(event -> events.take(event, now));
    return finish(now);
  }

  /** Whether {@link Event.Idle} is to be told as soon as the calls that wait are answered. */
  public boolean isSearching() {
    return schedulingCycle.isSearching();
  }

  /**
   * What was decided before a call ended with a fault of Muster's own; to be asked for once after
   * each.
   */
  public List<Effect> afterFault(Instant now) {
    return finish(now);
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

  /** Answers filter. The pod is the one in the call; repeating the call changes nothing. */
  public Decision filter(Pod pod, List<String> offered, Instant now) {
    if (cluster.pods().isGone(pod.key().uid()) && !cluster.hearsay().isGivenUp(pod.key().uid())) {
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
   * those that filter would let it have then, and of these the ones where no gang is left below its
   * minimum, if there are such nodes.
   *
   * @param victims uids by node
   */
  public Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    if (shadow.covers(pod)) {
      return victims.keySet();
    }
    boolean isMember = cluster.objects().complete(pod).membership().isPresent();
    return isMember ? Set.of() : InTreeVictims.sparing(cluster, pod, victims);
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
  public void learn(LearnedRuns runs) {
    cluster.runTimes().learned().takeOver(runs);
  }

  /** How long the gang has run by now says nothing of others: its end is a guess. */
  public void learnNothingOf(GangId gang) {
    cluster.gangs().find(gang).ifPresent(guessed -> guessed.entry.complete());
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
}
