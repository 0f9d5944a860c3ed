package io.muster.controller.kinds.dlrover.plan;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.state.Resize;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Remark;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.GangReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The plans under way whose workers have no node yet, and why. Immutable. */
public final class WaitingPlans {

  private final Map<String, GangSight> sights;

  private WaitingPlans(Map<String, GangSight> sights) {
    this.sights = Map.copyOf(sights);
  }

  /**
   * Those of a job.
   *
   * @param pods of the job
   * @param reports what is said of gangs
   */
  public static WaitingPlans of(
      List<Resize> resizes, List<Pod> pods, Function<GangId, Optional<GangReport>> reports) {
    var sights = new HashMap<String, GangSight>();
    for (var resize : resizes) {
      if (resize.stage() == Resize.Stage.SCALING) {
        var names = Set.copyOf(resize.plan());
        var added =
            pods.stream()
                .filter(pod -> names.contains(pod.getMetadata().getName()))
                .filter(pod -> Marks.annotations(pod).containsKey(GangKeys.NAME))
                .toList();
        var sight =
            added.isEmpty()
                ? GangSight.NONE
                : GangSight.of(added, names.size(), reports.apply(gang(added.getFirst())));
        if (sight.isThere() && !sight.isPlaced()) {
          sights.put(resize.request().id(), sight);
        }
      }
    }
    return new WaitingPlans(sights);
  }

  private static GangId gang(Pod pod) {
    var name = Marks.annotations(pod).get(GangKeys.NAME);
    return new GangId(Dialect.MUSTER, pod.getMetadata().getNamespace(), name);
  }

  /** The Events that say so. */
  public List<Remark> remarks() {
    var remarks = new ArrayList<Remark>();
    sights.forEach((id, sight) ->
        sight
            .obstacle()
            .map(why -> ResizeRequest.nameIn(id) + ": " + why)
            .ifPresent(why -> remarks.add(Remark.warning("ScalePlanWaiting", why))));
    return remarks;
  }

  /** When to ask again. */
  public Optional<Duration> again() {
    return sights.values().stream()
        .flatMap(sight -> sight.again().stream())
        .min(Comparator.naturalOrder());
  }
}
