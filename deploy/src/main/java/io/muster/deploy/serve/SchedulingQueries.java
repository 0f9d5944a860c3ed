package io.muster.deploy.serve;

import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.View.OnlinePod;
import io.muster.controller.port.GangMembers;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.PlannerCapacity;
import io.muster.controller.port.ResizeAdvice;
import io.muster.controller.port.StartAdvice;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.forecast.PlacementQueries;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the desk of this process tells those who run jobs. */
record SchedulingQueries(ExtenderService desk, Preview preview)
    implements ResizeAdvice, StartAdvice, GangReports, GangMembers {

  @Override
  public List<WaitingGang> waiting() {
    return desk.placementQueries(PlacementQueries::waitingForRoom).orElse(List.of());
  }

  @Override
  public Optional<Shortage> shortage(GangId gang) {
    return desk.placementQueries((placementQueries, _) -> placementQueries.shortage(gang))
        .flatMap(found -> found);
  }

  @Override
  public Optional<GangReport> of(GangId gang) {
    return desk.placementQueries((placementQueries, _) -> placementQueries.report(gang))
        .flatMap(found -> found);
  }

  @Override
  public Optional<Boolean> isAnybodyIn(GangId gang) {
    return desk.placementQueries((placementQueries, _) ->
        placementQueries.report(gang).filter(report -> report.members() > 0).isPresent());
  }

  @Override
  public List<OnlinePod> online() {
    return desk.placementQueries(PlacementQueries::withoutNode).orElse(List.of()).stream()
        .map(pod ->
            new OnlinePod(
                pod.key().uid(),
                pod.key().namespace(),
                pod.origin().priority(),
                Integer.toHexString(pod.shape().hashCode())))
        .toList();
  }

  @Override
  public CapacityOracle room() {
    return new PlannerCapacity(desk::placementQueries);
  }

  @Override
  public Optional<Prospect> ifMade(List<Batch> batches) {
    var lots = new ArrayList<Prospect.Lot>();
    for (var batch : batches) {
      switch (preview.of(batch.pod())) {
        case Preview.Seen.Refused(String sentence) -> {
          return Optional.of(new Prospect(false, "its pods would be refused: " + sentence));
        }
        case Preview.Seen.Stored(Pod pod) -> lots.add(new Prospect.Lot(pod, batch.count()));
      }
    }
    return desk.placementQueries((placementQueries, now) -> placementQueries.ifMade(lots, now));
  }

  @Override
  public void isGivenRoom(GangId gang) {
    var _ =
        desk.placementQueries((placementQueries, now) -> {
          placementQueries.isGivenRoom(gang, now);
          return gang;
        });
  }
}
