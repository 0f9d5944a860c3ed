package io.muster.extender.core.protocol;

/** When members are tied to their places before kube-scheduler sees them. */
public enum PinPolicy {
  /** Where the cluster is large enough for kube-scheduler's search to cost more than the pin. */
  AUTO,
  ALWAYS,
  NEVER;

  /** Nodes from which on the search is worth saving. */
  public static final int LARGE = 50;

  /** Whether members are tied to their nodes when they are made, among so many nodes. */
  public boolean pinsAmong(int nodes) {
    return switch (this) {
      case AUTO -> nodes >= LARGE;
      case ALWAYS -> true;
      case NEVER -> false;
    };
  }
}
