package io.muster.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.queue.Order;
import io.muster.simulator.reference.Policy;
import io.muster.simulator.reference.ReferenceRun;
import io.muster.simulator.trace.BundledTraces;
import io.muster.simulator.world.Figures;
import io.muster.simulator.world.PolicyNames;
import io.muster.simulator.world.Simulation;
import io.muster.simulator.world.cluster.Costs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The quickest of the four traces; all of them: {@code muster simulate philly}. */
@Tag("slow")
final class PhillyTest {

  private static Figures replay(Order order, boolean hints) {
    var setup =
        PolicyNames.setup(PolicyNames.oneQueue(order), PolicyNames.NO_AGEING, Costs.DEFAULT, hints);
    return Figures.of(new Simulation(BundledTraces.philly(3), setup, _ -> {}).run(order.label()));
  }

  @Test
  void shortestGangIsAsGoodAsSrsfUnderTheSameCosts() {
    var srsf =
        new ReferenceRun(BundledTraces.philly(3), new Policy.ShortestService(), Costs.DEFAULT)
            .run();
    var figures = replay(Order.SHORTEST_GANG, true);
    assertThat(figures.meanCompletion() / 3600).isLessThan(1.05 * srsf.meanCompletionHours());
    assertThat(figures.incompleteGpuSeconds()).isZero();
    assertThat(figures.jobs()).isEqualTo(992);
  }

  /** Published with Muri (SIGCOMM 2022) of Tiresias-L: 96 hours. */
  @Test
  void leastAttainedIsNotWorseThanTiresias() {
    var figures = replay(Order.LEAST_ATTAINED, false);
    assertThat(figures.meanCompletion() / 3600).isLessThan(96);
    assertThat(figures.incompleteGpuSeconds()).isZero();
  }
}
