package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.limit.RunTimeLimits;
import io.muster.extender.core.decision.loss.MemberFailures;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.decision.observe.TermsUpdates;
import io.muster.extender.core.decision.permit.CompanionAnswers;
import io.muster.extender.core.decision.permit.PermitBarrier;
import io.muster.extender.core.decision.recovery.GangRecovery;
import io.muster.extender.core.decision.report.Reporter;
import io.muster.extender.core.decision.scheduling.QueueStatus;
import io.muster.extender.core.decision.scheduling.SchedulingCycle;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What each event changes: what the API server says of objects, answers to what Muster wrote, and
 * time. An event that fails ends alone. Confined to the decision thread.
 */
final class EventHandling {

  private final ClusterState cluster;
  private final Parts parts;

  /** Who takes what an event is about. */
  record Parts(
      PodEvents podEvents,
      TermsUpdates termsUpdates,
      ShadowGangs shadow,
      Singles singles,
      PermitBarrier barrier,
      CompanionAnswers companions,
      RunTimeLimits limits,
      MemberFailures memberFailures,
      SchedulingCycle schedulingCycle,
      QueueStatus queueStatus,
      Reporter reporter,
      PeriodicWork time) {}

  EventHandling(ClusterState cluster, Parts parts) {
    this.cluster = cluster;
    this.parts = parts;
  }

  /** A fault in it ends the event, and nothing else. */
  void take(Event event, Instant now) {
    var gang = gangOf(event);
    try {
      apply(event, now);
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
      case Event.RecordAhead ahead -> gang(ahead.gang());
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
          Event.Idle _,
          Event.Released _,
          Event.LeaseHeld _,
          Event.ClockSet _,
          Event.Ready _,
          Event.StartsEstimated _,
          Event.Tick _ ->
          Optional.empty();
    };
  }

  private void apply(Event event, Instant now) {
    switch (event) {
      case Event.NodeSeen(Node node) -> {
        var before = cluster.inventory().room(node.name()).map(NodeState::node);
        if (before.filter(node::equals).isEmpty()) {
          cluster.inventory().seen(node);
          parts.podEvents().nodeChanged(node.name(), now);
        }
      }
      case Event.NodeGone(String name) -> {
        cluster.inventory().gone(name);
        parts.podEvents().nodeChanged(name, now);
      }
      case Event.TermsSeen(TermsObject object, Optional<Terms> terms) ->
          parts
              .termsUpdates()
              .stated(object, terms)
              .forEach(pod -> parts.podEvents().podSeen(pod, now));
      case Event.TermsGone(TermsObject object) -> {
        cluster
            .gangs()
            .takePodGroup(object)
            .ifPresent(id -> needing(id).ifPresent(gang -> parts.companions().gone(gang, id)));
        parts.termsUpdates().withdrawn(object).forEach(pod -> parts.podEvents().podSeen(pod, now));
      }
      case Event.NamespaceSeen(String name, Enrolment enrolment) ->
          parts.shadow().enrolled(name, Optional.of(enrolment), now);
      case Event.NamespaceGone(String name) -> parts.shadow().enrolled(name, Optional.empty(), now);
      case Event.BudgetSeen(Budget budget) -> cluster.budgets().seen(budget);
      case Event.BudgetGone(String namespace, String name) ->
          cluster.budgets().gone(namespace, name);
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
      case Event.Released(boolean released) -> parts.shadow().released(released, now);
      case Event.PodSeen(Pod pod) -> {
        cluster.confirm(pod.key().uid());
        parts.podEvents().podSeen(pod, now);
        if (cluster.schedulerCalls().takeAskedEarly(pod.key().uid())
            && !pod.isBound()
            && !pod.isTerminal()) {
          cluster.wake(pod.key());
        }
      }
      case Event.PodGone(PodKey pod) -> {
        cluster.hearsay().settle(pod.uid());
        parts.podEvents().podGone(pod, now);
      }
      case Event.RecordFound(GangRecord found, Optional<Instant> since) -> {
        if (!parts.shadow().takes(found, now)) {
          recordFound(found, since);
        }
      }
      case Event.RecordGone(GangId id) -> recordGone(id, now);
      case Event.LeaseHeld(Instant until, boolean followsAnother) ->
          cluster.leaseHeld(until, followsAnother);
      case Event.ClockSet(Duration ahead) -> cluster.timeOfDay().set(ahead);
      case Event.Ready _ -> beginLife(now);
      case Event.RecordWritten(GangId id, long epoch, boolean stored) -> {
        if (!parts.limits().recordWritten(id, epoch, stored, now)) {
          gang(id).ifPresent(gang -> parts.barrier().recordWritten(gang, epoch, stored, now));
        }
      }
      case Event.RecordAhead(GangId id, long incarnation, long epoch) ->
          gang(id).ifPresent(gang -> gang.follow(incarnation, epoch));
      case Event.CompanionsEnsured ensured ->
          needing(ensured.gang()).ifPresent(gang -> parts.companions().ensured(gang, ensured, now));
      case Event.DomainsServed(boolean served) -> parts.companions().served(served);
      case Event.BindingEnded ended -> {
        if (!parts.singles().bindingEnded(ended, now)) {
          gang(ended.gang()).ifPresent(gang -> parts.barrier().bindingEnded(gang, ended, now));
        }
      }
      case Event.StartsEstimated estimated -> parts.queueStatus().estimated(estimated, now);
      case Event.Idle _ -> parts.schedulingCycle().goOn(now);
      case Event.Tick(boolean tells) -> parts.time().advance(now, tells);
    }
  }

  private void rulesChanged() {
    parts.schedulingCycle().beginAnew();
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
            cluster.gangs().groupsWith(id).stream()
                .filter(gang -> gang.terms.needingCompanions().contains(id))
                .findFirst());
  }

  private Optional<GangState> gang(GangId id) {
    return cluster.gangs().find(id);
  }

  private void recordFound(GangRecord found, Optional<Instant> since) {
    var gang = cluster.gang(found.gang());
    gang.goOn(found);
    if (found.phase() == Phase.FINISHED) {
      since.ifPresent(gang.arrivals::empty);
    }
    gang.enter(found.phase());
    gang.record.find(found.placement());
  }

  /** What is stored of a gang that lives is what the next life of Muster goes on from. */
  private void recordGone(GangId id, Instant now) {
    parts.limits().recordGone(id);
    needing(id).ifPresent(gang -> gang.companions.gone(id));
    Stream.concat(cluster.gangs().groupsWith(id).stream(), gang(id).stream())
        .filter(gang -> gang.told.of(id).isPresent() && !gang.members.isEmpty())
        .findFirst()
        .ifPresent(gang -> {
          gang.told.forget(id);
          gang.activate();
          if (cluster.isReady()) {
            parts.reporter().store(gang, now);
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
    cluster.faults().run("restore", () -> parts.schedulingCycle().restore(now));
    cluster.planAgain();
  }

  private void takeUp(GangState gang, Instant now) {
    if (!parts.limits().resume(gang, now)) {
      GangRecovery.resume(cluster, gang, now);
      parts.memberFailures().letIn(gang, now);
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
