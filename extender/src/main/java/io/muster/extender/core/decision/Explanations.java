package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangPlans.Outcome;
import io.muster.extender.core.decision.GangPlans.Wanted;
import io.muster.extender.core.plan.Copies;
import io.muster.extender.core.plan.Diagnosis;
import io.muster.extender.core.plan.Diagnosis.Finding;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Finds out why complete gangs do not fit: the sentence, which costs a walk over all nodes, and the
 * one cause, which costs some plans and copies of nodes. What was found for one gang serves others
 * that ask for just the same, until the ledger changes. Confined to the decision thread.
 */
final class Explanations {

  /** Which one found no place, and why no node takes it. */
  private record Refusal(int first, String tally) {}

  private final World world;
  private final GangPlans plans;
  private final IdentityHashMap<SameRequest, Refusal> refusals = new IdentityHashMap<>();
  private final IdentityHashMap<SameRequest, Finding> findings = new IdentityHashMap<>();
  private long knownOf = -1;
  private Copies copies;

  Explanations(World world, GangPlans plans) {
    this.world = world;
    this.plans = plans;
    this.copies = new Copies(world.inventory().snapshot());
  }

  /** Whether both are known already, and cost nothing. */
  boolean areKnown(GangState gang) {
    refresh();
    return request(gang).filter(findings::containsKey).filter(refusals::containsKey).isPresent();
  }

  /** Whether the gang fits; notes which one finds no place, and why, if it does not. */
  boolean explain(GangState gang, Instant now) {
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
        var refusal = new Refusal(refused.member(), refused.tally());
        request.ifPresent(same -> refusals.put(same, refusal));
        note(gang, refusal);
        yield false;
      }
    };
  }

  private static void note(GangState gang, Refusal refusal) {
    List<Pod> members = gang.headcount.chosen();
    List<Wanted> wanted = Reservations.wanted(gang);
    int first = refusal.first();
    gang.verdict = Optional.of(refusal.tally());
    gang.trigger =
        Optional.of(
            first < members.size()
                ? new Misfit.Member(members.get(first).key().name())
                : new Misfit.Later(wanted.get(first).demand().requests().shown()));
  }

  /** Notes the one cause for which the gang does not fit. */
  void diagnose(GangState gang, Instant now) {
    refresh();
    var request = request(gang);
    var known = request.map(findings::get);
    if (known.isPresent()) {
      gang.finding = known;
    } else if (plans.decide(gang, Reservations.wanted(gang), now)
        instanceof Outcome.Refused refused) {
      var finding = Diagnosis.of(world.planner(), copies, refused.request());
      request.ifPresent(same -> findings.put(same, finding));
      gang.finding = Optional.of(finding);
    }
  }

  private static Optional<SameRequest> request(GangState gang) {
    return gang.tried.flatMap(GangState.Tried::request);
  }

  private void refresh() {
    if (knownOf != world.inventory().changes()) {
      knownOf = world.inventory().changes();
      copies = new Copies(world.inventory().snapshot());
      refusals.clear();
      findings.clear();
    }
  }
}
