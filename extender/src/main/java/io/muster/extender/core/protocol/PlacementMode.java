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
  AFFINITY
}
