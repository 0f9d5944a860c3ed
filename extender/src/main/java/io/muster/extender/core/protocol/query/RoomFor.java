package io.muster.extender.core.protocol.query;

import io.muster.extender.core.gang.GangId;
import java.util.List;

/** Pods for which capacity is sought together. Immutable. */
public sealed interface RoomFor {

  /** A gang that waits. */
  record Waiting(GangId gang) implements RoomFor {}

  /** One more pod like each of these. */
  record Like(List<String> podUids) implements RoomFor {
    public Like {
      podUids = List.copyOf(podUids);
    }
  }

  /** One more pod like each of these, each on its node. */
  record Placed(List<String> podUids, List<String> nodes) implements RoomFor {
    public Placed {
      podUids = List.copyOf(podUids);
      nodes = List.copyOf(nodes);
    }
  }
}
