package io.muster.extender.core.decision.permit;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.Effect;

/** Says on members why a gang that has its places does not start: its object tells nothing then. */
final class UnstoredRecords {

  private static final String REASON = "GangNotStored";
  private static final int MEMBERS_TOLD = 16;

  private UnstoredRecords() {}

  /** Once in a life of the gang: it is tried again and again. */
  static void tell(ClusterState cluster, GangState gang) {
    if (gang.told.announce(REASON)) {
      gang.record.places().keySet().stream()
          .flatMap(uid -> cluster.pod(uid).stream())
          .limit(MEMBERS_TOLD)
          .forEach(pod ->
              cluster.emit(
                  new Effect.Warn(
                      pod.key(),
                      REASON,
                      ("gang %s has its places, and its Gang object could not be stored, without"
                              + " which no member starts; Muster tries again by itself; if this"
                              + " lasts, look for the CustomResourceDefinition gangs.muster.io and"
                              + " at the log of muster")
                          .formatted(gang.id))));
    }
  }
}
