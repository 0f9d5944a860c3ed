package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pin;

/** What a member gets on its way into the cluster. A hint that saves work, never state. */
public sealed interface Birth {

  /** The member is stored as it is and finds its place when kube-scheduler asks. */
  record Free() implements Birth {}

  /** The gang cannot start now: the member had better wait behind the gate. */
  record Gated() implements Birth {}

  /** A place is kept for the member; tied to it, kube-scheduler need not search. */
  record Placed(Pin pin) implements Birth {}
}
