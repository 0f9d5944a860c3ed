package io.muster.extender.core.decision.report;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Locations;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.PlacementMode;

/**
 * What was asked for and does not hold of a gang that starts: a PodGroup of its own, or a level
 * that it prefers. Confined to the decision thread.
 */
public final class PlacementWarnings {

  private static final String NOT_TOGETHER =
      "members are in no PodGroup of Muster's, since the API server was not seen to serve"
          + " scheduling.k8s.io PodGroups when they were created: they start by node affinity alone,"
          + " as with placementMode affinity";

  private final ClusterState cluster;

  public PlacementWarnings(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Tells it once the gang is about to start. */
  public void tell(GangState gang) {
    if (cluster.rules().placement() == PlacementMode.NATIVE
        && !gang.terms.gangs().stream().allMatch(gang.terms::areBoundTogether)) {
      cluster.emit(new Effect.Announce(gang.id, true, "NotInPodGroup", NOT_TOGETHER));
    }
    var unknown = new Locations(gang, cluster.gangs(), cluster.inventory()).unknownLevels();
    if (!unknown.isEmpty()) {
      cluster.emit(
          new Effect.Announce(
              gang.id,
              true,
              "UnknownLevel",
              "members are anywhere as far as this is preferred, which is neither a level of the"
                  + " cluster nor a label of any node: "
                  + String.join(", ", unknown)));
    }
  }
}
