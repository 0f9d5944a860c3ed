package io.muster.controller.kinds.dlrover.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.Resize;
import io.muster.controller.kube.Remark;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A plan whose workers find no room says so on its job. */
final class WaitingPlansTest {

  private static final Resize PLAN =
      new Resize(
              new ResizeRequest(
                  "ml/more",
                  "worker",
                  new Change.To(3),
                  Instant.EPOCH,
                  false,
                  Duration.ofMinutes(10),
                  Optional.empty(),
                  Optional.empty()),
              Resize.Stage.WAITING,
              List.of(),
              Optional.empty(),
              Optional.empty())
          .begun(List.of("j-2"), Instant.EPOCH);

  private static Pod pod(String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("j-2")
        .withNamespace("ml")
        .withAnnotations(Map.of(GangKeys.NAME, "more"))
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .endSpec()
        .build();
  }

  private static WaitingPlans plans(Resize plan, String node, Reason reason) {
    return WaitingPlans.of(
        List.of(plan),
        List.of(pod(node)),
        gang ->
            Optional.of(
                    new GangReport(
                        GangRecord.Phase.WAITING, 1, 0, reason, "0 are free", "add nodes"))
                .filter(_ -> gang.name().equals("more")));
  }

  @Test
  void itSaysWhyItWaitsAndIsLookedAtAgain() {
    var plans = plans(PLAN, null, Reason.NO_ROOM);
    assertThat(plans.remarks())
        .containsExactly(Remark.warning("ScalePlanWaiting", "more: 0 are free; add nodes"));
    assertThat(plans.again()).isPresent();
  }

  @Test
  void itSaysNothingOfWorkersThatAreOnTheirWayOrThere() {
    assertThat(plans(PLAN, null, Reason.RESERVED).remarks()).isEmpty();
    assertThat(plans(PLAN, "n", Reason.NO_ROOM).remarks()).isEmpty();
    assertThat(plans(PLAN, "n", Reason.NO_ROOM).again()).isEmpty();
    assertThat(plans(PLAN.postponed(), null, Reason.NO_ROOM).remarks()).isEmpty();
  }
}
