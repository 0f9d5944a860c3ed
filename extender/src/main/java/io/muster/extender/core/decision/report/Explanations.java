package io.muster.extender.core.decision.report;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.GangPlans.Outcome;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.FitVerdict.KeptNodes;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.LastTry;
import io.muster.extender.core.decision.state.Misfit;
import io.muster.extender.core.decision.state.SameRequest;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.plan.diagnosis.Copies;
import io.muster.extender.core.plan.diagnosis.Diagnosis;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Finds out why complete gangs do not fit: the sentence, which costs a walk over all nodes, and the
 * one cause, which costs some plans and copies of nodes. What was found for one gang serves others
 * that ask for just the same, until the ledger changes. Confined to the decision thread.
 */
public final class Explanations {

  /** Where hundreds of gangs wait, telling why must not slow down those that go. */
  private static final int NODES_WALKED_A_TICK = 10_000;

  /** A refusal costs a walk over all nodes to be put in words. */
  private static final int EXPLAINED_A_TICK = 50;

  private static final Duration DIAGNOSED_APART = Duration.ofSeconds(10);

  /** Which one found no place, why no node takes it, and what is kept from it. */
  private record Refusal(int first, String tally, Optional<KeptNodes> kept) {}

  private final ClusterState cluster;
  private final GangPlans plans;
  private final IdentityHashMap<SameRequest, Refusal> refusals = new IdentityHashMap<>();
  private final IdentityHashMap<SameRequest, Finding> findings = new IdentityHashMap<>();
  private long knownOf = -1;
  private Copies copies;
  private int diagnosesLeft;
  private int explanationsLeft;

  public Explanations(ClusterState cluster, GangPlans plans) {
    this.cluster = cluster;
    this.plans = plans;
    this.copies = new Copies(cluster.inventory().snapshot());
  }

  /** Another half second has begun, in which so many causes may be examined. */
  public void beginTick() {
    int nodes = Math.max(1, cluster.inventory().snapshot().rooms().size());
    diagnosesLeft = Math.max(1, NODES_WALKED_A_TICK / nodes);
    explanationsLeft = EXPLAINED_A_TICK;
  }

  /** Finds out why a gang that waits was found not to fit, once for each failure. */
  public void advance(GangState gang, Instant now) {
    if (!gang.isWaiting() || gang.lastTry.failure().isEmpty()) {
      return;
    }
    boolean isForWantOfRoom = gang.entry.withheld().isEmpty() && gang.counts.isComplete();
    boolean isKnown = areKnown(gang);
    if (!gang.lastTry.isExplained() && (isKnown || explanationsLeft-- > 0)) {
      gang.lastTry.explained();
      gang.entry.diagnosisDue(isForWantOfRoom);
      if (isForWantOfRoom) {
        explain(gang, now);
      }
    }
    if (gang.entry.diagnosisDue()
        && isForWantOfRoom
        && (isKnown || diagnosesLeft > 0)
        && !now.isBefore(gang.entry.diagnosedAt().plus(DIAGNOSED_APART))) {
      diagnosesLeft -= isKnown ? 0 : 1;
      gang.entry.diagnosed(now);
      diagnose(gang, now);
    }
  }

  /** Whether there is nothing to be found out about the last failure. */
  public static boolean areComplete(GangState gang) {
    return gang.lastTry.failure().isEmpty()
        || (gang.lastTry.isExplained() && !gang.entry.diagnosisDue());
  }

  /** Whether both are known already, and cost nothing. */
  private boolean areKnown(GangState gang) {
    refresh();
    return request(gang).filter(findings::containsKey).filter(refusals::containsKey).isPresent();
  }

  /** Whether the gang fits; notes which one finds no place, and why, if it does not. */
  public boolean explain(GangState gang, Instant now) {
    refresh();
    var request = request(gang);
    var known = request.map(refusals::get);
    if (known.isPresent()) {
      note(gang, known.get());
      return false;
    }
    return switch (plans.decide(gang, Reservations.wanted(gang), now)) {
      case Outcome.Placed _ -> true;
      case Outcome.Refused refused -> {
        var refusal =
            new Refusal(refused.member(), refused.tally(), cluster.nominatedPods().keptFrom(gang));
        request.ifPresent(same -> refusals.put(same, refusal));
        note(gang, refusal);
        yield false;
      }
    };
  }

  private static void note(GangState gang, Refusal refusal) {
    List<Pod> members = gang.counts.chosen();
    List<Wanted> wanted = Reservations.wanted(gang);
    int first = refusal.first();
    gang.verdict.noPlace(
        refusal.tally(),
        first < members.size()
            ? new Misfit.Member(members.get(first).key().name())
            : new Misfit.Later(wanted.get(first).demand().requests().shown()),
        refusal.kept());
  }

  /** Notes the one cause for which the gang does not fit. */
  public void diagnose(GangState gang, Instant now) {
    refresh();
    var request = request(gang);
    var known = request.map(findings::get);
    if (known.isPresent()) {
      gang.verdict.found(known.get());
    } else if (plans.decide(gang, Reservations.wanted(gang), now)
        instanceof Outcome.Refused refused) {
      var finding = Diagnosis.of(cluster.planner(), copies, refused.request());
      request.ifPresent(same -> findings.put(same, finding));
      gang.verdict.found(finding);
    }
  }

  private static Optional<SameRequest> request(GangState gang) {
    return gang.lastTry.failure().flatMap(LastTry.Tried::request);
  }

  private void refresh() {
    if (knownOf != cluster.inventory().changes()) {
      knownOf = cluster.inventory().changes();
      copies = new Copies(cluster.inventory().snapshot());
      refusals.clear();
      findings.clear();
    }
  }
}
