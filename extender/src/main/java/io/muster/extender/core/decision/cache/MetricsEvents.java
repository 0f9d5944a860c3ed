package io.muster.extender.core.decision.cache;

import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import io.muster.extender.core.protocol.Milestones.Start;
import io.muster.extender.core.protocol.SetupFault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Notes milestones until they are asked for. Confined to the decision thread. */
public final class MetricsEvents {

  /** Beyond that the oldest are forgotten: whoever asks does so every half second. */
  private static final int MOST_STARTS = 10_000;

  private final List<Start> starts = new ArrayList<>();
  private final Map<ExpectedStart.Outcome, Integer> outcomes =
      new EnumMap<>(ExpectedStart.Outcome.class);
  private final Map<PlanMiss, Integer> planMisses = new EnumMap<>(PlanMiss.class);
  private final Map<SetupFault, Integer> setupFaults = new EnumMap<>(SetupFault.class);

  /** The gang has been bound by its present reservation. */
  public void started(GangState gang, Instant now) {
    if (starts.size() == MOST_STARTS) {
      starts.removeFirst();
    }
    starts.add(
        new Start(
            between(gang.arrivals.bornAt(), now).orElse(Duration.ZERO),
            between(gang.reservation.madeAt(), now)));
  }

  /** A gang has started of which a start was expected. */
  public void compared(ExpectedStart.Outcome outcome) {
    outcomes.merge(outcome, 1, Integer::sum);
  }

  public void missed(PlanMiss why) {
    planMisses.merge(why, 1, Integer::sum);
  }

  public void noticed(SetupFault fault) {
    setupFaults.merge(fault, 1, Integer::sum);
  }

  /** Forgets what it tells. */
  public Milestones take() {
    var taken = new Milestones(starts, outcomes, planMisses, setupFaults);
    starts.clear();
    outcomes.clear();
    planMisses.clear();
    setupFaults.clear();
    return taken;
  }

  /** Empty where it is not known when it began. */
  private static Optional<Duration> between(Instant begun, Instant now) {
    return begun.equals(Instant.MIN) || begun.isAfter(now)
        ? Optional.empty()
        : Optional.of(Duration.between(begun, now));
  }
}
