package io.muster.extender.core.protocol;

/** By which way members come to the places that were planned for them. */
public enum PlacementMode {
  /** kube-scheduler asks Muster where each may go, and leaves the Bindings to it. */
  EXTENDER,
  /**
   * kube-scheduler knows nothing of Muster. Members wait behind the gate, whatever their gang,
   * until it is recorded where all of them go; then each is tied to its node, and kube-scheduler
   * binds it.
   */
  AFFINITY,
  /**
   * The same, and members are in a PodGroup of the cluster's own gang scheduling where it has that:
   * kube-scheduler binds enough of them together, or none.
   */
  NATIVE;

  /** Whether kube-scheduler asks Muster, and leaves the Bindings of members to it. */
  public boolean isAsked() {
    return this == EXTENDER;
  }
}
