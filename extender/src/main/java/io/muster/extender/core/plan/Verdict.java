package io.muster.extender.core.plan;

import java.util.List;

/** What the planner says of a gang: a place for every member, or for none. Immutable. */
public sealed interface Verdict {

  /** The node of each member, in the order of the request. */
  record Placed(List<String> nodes) implements Verdict {
    public Placed {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * No place for all.
   *
   * @param member index of the first member without a place
   * @param tally why no node takes it, in kube-scheduler's form: {@code 0/13 nodes are available: 2
   *     Insufficient nvidia.com/gpu, ...}; byte-stable for the same state
   */
  record NoRoom(int member, String tally) implements Verdict {}
}
