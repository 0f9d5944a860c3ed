package io.muster.extender.core.decision.observe;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.GateRemovals;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.observe.DryRunGangs.Standing;
import io.muster.extender.core.decision.recovery.GangRecovery;
import io.muster.extender.core.decision.report.Explanations;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.shadow.ShadowCounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Gangs of namespaces that only observe: recognised, counted and planned on paper, to tell what
 * would become of them. Their pods pass through as if Muster were not there: nothing of theirs is
 * reserved, held or ended, and a gate of ours comes off. A gang whose burst is under way when its
 * namespace steps back is brought to its end first. Confined to the decision thread.
 */
public final class ShadowGangs {

  private final ClusterState cluster;
  private final Reservations reservations;
  private final Set<String> namespaces = new HashSet<>();
  private final ShadowTally tally = new ShadowTally();
  private final DryRunGangs gangs;

  /** Of pods that no gang of ours has: it would see to it that their gates come off. */
  private final GateRemovals gateRemovals = new GateRemovals();

  private boolean released;

  public ShadowGangs(ClusterState cluster, Reservations reservations, Explanations explanations) {
    this.cluster = cluster;
    this.reservations = reservations;
    gangs =
        new DryRunGangs(
            cluster, explanations, Reason.SHADOW, (_, standing) -> words(standing), new Counting());
  }

  /** Counts where the namespace itself is in shadow, and notes which gangs have been whole. */
  private final class Counting implements DryRunGangs.Watcher {

    @Override
    public void looked(GangState gang, Standing standing, Instant now) {
      if (namespaces.contains(gang.id.namespace())) {
        tally.looked(gang, standing, now);
      } else {
        tally.ended(gang.id, now);
      }
      boolean isOrWasWhole =
          standing instanceof Standing.Whole
              || (standing instanceof Standing.Over(boolean wasWhole) && wasWhole);
      if (isOrWasWhole) {
        gang.satisfy();
      }
    }

    @Override
    public void forgotten(GangId gang, Instant now) {
      tally.forgotten(gang, now);
    }
  }

  /** Whether Muster must not stand in this pod's way. */
  public boolean covers(Pod pod) {
    return looksOn(pod.key().namespace()) && cluster.knownGangOf(pod).isEmpty();
  }

  private boolean looksOn(String namespace) {
    return released || namespaces.contains(namespace);
  }

  /** A namespace says how far it lets Muster in; empty: it has gone. */
  public void enrolled(String namespace, Optional<Enrolment> enrolment, Instant now) {
    boolean changed =
        enrolment.equals(Optional.of(Enrolment.SHADOW))
            ? namespaces.add(namespace)
            : namespaces.remove(namespace);
    if (changed) {
      follow(now);
    }
  }

  /** What it has been told, to be told to another. */
  public List<Event> told() {
    var events = new ArrayList<Event>();
    namespaces.forEach(name -> events.add(new Event.NamespaceSeen(name, Enrolment.SHADOW)));
    events.add(new Event.Released(released));
    return events;
  }

  /** Muster is to let go of the whole cluster, or to come back. */
  public void released(boolean now, Instant at) {
    if (released != now) {
      released = now;
      follow(at);
    }
  }

  /** Gangs change sides with their namespaces. */
  private void follow(Instant now) {
    for (var gang : gangs.all()) {
      if (!looksOn(gang.id.namespace())) {
        gangs.remove(gang, now);
        var taken = cluster.gang(gang.id);
        DryRunGangs.inherit(gang, taken);
        gang.members.all().forEach(pod -> taken.memberSeen(pod, now));
        GangRecovery.resume(cluster, taken, now);
      }
    }
    stepBack(now);
    cluster.planAgain();
  }

  private void stepBack(Instant now) {
    for (var gang : List.copyOf(cluster.gangs().all())) {
      if (looksOn(gang.id.namespace()) && !isMidBurst(gang)) {
        reservations.release(gang, "the namespace only looks on now");
        cluster.gangs().remove(gang.id);
        DryRunGangs.inherit(gang, gangs.gang(gang.id));
        // kube-scheduler starts whoever waits.
        gangs.gang(gang.id).limit.lift();
        gang.members.all().forEach(pod -> seen(pod, now));
        gang.refused.stream().flatMap(uid -> cluster.pod(uid).stream()).forEach(this::wake);
      }
    }
    List.copyOf(cluster.refusedSingles().values()).stream()
        .filter(this::covers)
        .forEach(pod -> {
          cluster.refusedSingles().remove(pod.key().uid());
          wake(pod);
        });
  }

  private void wake(Pod pod) {
    if (!pod.isBound() && !pod.isGated()) {
      cluster.wake(pod.key());
    }
  }

  private static boolean isMidBurst(GangState gang) {
    return gang.phase() == Phase.BINDING || (gang.phase() == Phase.BROKEN && !gang.satisfied());
  }

  /** A record of an earlier life; true if nothing of it is left to be brought to an end. */
  public boolean takes(GangRecord found, Instant now) {
    boolean isMidBurst = found.phase() == Phase.BINDING || found.phase() == Phase.BROKEN;
    if (!looksOn(found.gang().namespace()) || (isMidBurst && !found.satisfied())) {
      return false;
    }
    var gang = gangs.gang(found.gang());
    gang.goOn(found);
    gang.limit.lift();
    gang.arrivals.empty(now);
    tally.known(gang);
    return true;
  }

  public void seen(Pod pod, Instant now) {
    if (pod.isGatedByMuster()) {
      letGo(pod);
    }
    gangs.seen(pod, now);
  }

  /** Takes our gate off a pod that no gang of ours has. */
  public void letGo(Pod pod) {
    var ungate = new Effect.Ungate(pod.key(), Optional.empty());
    gateRemovals.sent(ungate);
    cluster.emit(ungate);
  }

  private void letGoAgain(Effect.Ungate ungate) {
    boolean isStillOurs =
        cluster
            .pod(ungate.pod().uid())
            .filter(Pod::isGatedByMuster)
            .filter(pod -> covers(pod) || pod.membership().isEmpty())
            .isPresent();
    if (isStillOurs) {
      cluster.emit(ungate);
    } else {
      gateRemovals.forget(ungate.pod().uid());
    }
  }

  /** What is known of the pod's gang here. */
  public Optional<GangState> find(Pod pod) {
    return gangs.find(pod);
  }

  public void gone(Pod pod, Instant now) {
    gangs.gone(pod, now);
    gangs
        .find(pod)
        .filter(gang -> gang.members.isEmpty())
        .ifPresent(gang -> tally.ended(gang.id, now));
  }

  /** What has been counted in namespaces in shadow since the last such question, by namespace. */
  public Map<String, ShadowCounts> takeCounts(Instant now) {
    return tally.take(now);
  }

  public void advance(Instant now) {
    if (released || !namespaces.isEmpty()) {
      stepBack(now);
    }
    gateRemovals.due(now).forEach(this::letGoAgain);
    gangs.advance(now);
  }

  private static String words(Standing standing) {
    return "shadow: "
        + switch (standing) {
          case Standing.Over _ -> "all members have ended or are ending";
          case Standing.Whole(int bound, int min) ->
              "%d of at least %d members bound, by kube-scheduler alone".formatted(bound, min);
          case Standing.Half(int bound, int min) ->
              "%d of at least %d members were bound without the others; with Muster none would be"
                  .formatted(bound, min);
          case Standing.Below(int bound, int min) ->
              "%d of at least %d members bound, and once it was whole".formatted(bound, min);
          case Standing.Fits(int min) ->
              "would start now, there is room for " + Counted.together(min);
          case Standing.Waits(var why) -> "would wait: " + why;
        };
  }
}
