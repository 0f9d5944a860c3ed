package io.muster.extender.core.plan;

import java.util.List;
import java.util.function.Supplier;

/** What the planner says of a gang: a place for every member, or for none. */
public sealed interface Verdict {

  /** The node of each member, in the order of the request. Immutable. */
  record Placed(List<String> nodes) implements Verdict {
    public Placed {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * No place for all. Why is worked out when it is first asked for, which costs a walk over all
   * nodes; it must be asked for, if at all, before the inventory changes. Confined to the decision
   * thread.
   */
  final class NoRoom implements Verdict {

    private record Reason(int member, String tally) {}

    private final Supplier<Reason> reasons;
    private Reason reason;

    /** With a reason that is known. */
    public NoRoom(int member, String tally) {
      reason = new Reason(member, tally);
      reasons = () -> reason;
    }

    NoRoom(Supplier<NoRoom> later) {
      reasons = () -> later.get().reason();
    }

    private Reason reason() {
      if (reason == null) {
        reason = reasons.get();
      }
      return reason;
    }

    /** Index of the first member without a place, when they are taken in the given order. */
    public int member() {
      return reason().member();
    }

    /**
     * Why no node takes that member, in kube-scheduler's form: {@code 0/13 nodes are available: 2
     * Insufficient nvidia.com/gpu, ...}; byte-stable for the same state.
     */
    public String tally() {
      return reason().tally();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof NoRoom that && reason().equals(that.reason());
    }

    @Override
    public int hashCode() {
      return reason().hashCode();
    }

    @Override
    public String toString() {
      return "NoRoom[member=%d, tally=%s]".formatted(member(), tally());
    }
  }
}
