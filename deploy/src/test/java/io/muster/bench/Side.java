package io.muster.bench;

import java.util.Locale;

/** Who places the pods of a round. */
enum Side {
  /** kube-scheduler as a cluster without extenders has it. */
  BARE,
  /** The least extender, see {@link io.muster.bench.probe.Probe}. */
  PROBE,
  /** The same, and pods are born with required affinity to their node and spares. */
  PINNED,
  /** Muster as it is shipped. */
  MUSTER;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isProbe() {
    return this == PROBE || this == PINNED;
  }
}
