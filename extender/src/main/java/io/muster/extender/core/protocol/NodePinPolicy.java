package io.muster.extender.core.protocol;

/** When members get required node affinity to their planned nodes as their gate is removed. */
public enum NodePinPolicy {
  /** Where the cluster is large enough for kube-scheduler's search to cost more than the pin. */
  AUTO,
  ALWAYS,
  NEVER;

  /** Nodes from which on the search is worth saving. */
  public static final int LARGE = 50;

  /** Whether members get it among so many nodes. */
  public boolean pinsAmong(int nodes) {
    return switch (this) {
      case AUTO -> nodes >= LARGE;
      case ALWAYS -> true;
      case NEVER -> false;
    };
  }
}
