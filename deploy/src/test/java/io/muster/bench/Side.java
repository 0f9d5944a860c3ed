package io.muster.bench;

import java.util.Locale;

/** Who places the pods of a round. */
enum Side {
  /** kube-scheduler as a cluster without extenders has it. */
  BARE,
  /** The least extender, see {@link io.muster.bench.probe.Probe}. */
  PROBE,
  /** The same, and its webhook gates the members of a gang until all of them are there. */
  GATED,
  /**
   * kube-scheduler with its own gang scheduling, the pods of each gang in a PodGroup; where the
   * control plane was started for it.
   */
  NATIVE,
  /** Muster as it is shipped. */
  MUSTER,
  /** The same beside the board in the cluster, with {@link Viewers}. */
  WATCHED,
  /** The same on nodes of which every second one offers its GPUs by DRA, see {@link DraNodes}. */
  DRA,
  /** The same with placementMode native, and nothing about it in kube-scheduler's configuration. */
  MUSTER_NATIVE,
  /** As {@link #NATIVE}, on such nodes. */
  NATIVE_DRA,
  /** As {@link #MUSTER}, and members prefer one rack; on nodes that {@link Arena#inRacks} has. */
  MUSTER_RACKS;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether pods are changed on their way in. */
  boolean hasWebhook() {
    return isMuster() || isProbe();
  }

  boolean isMuster() {
    return this == MUSTER
        || this == WATCHED
        || this == DRA
        || this == MUSTER_NATIVE
        || this == MUSTER_RACKS;
  }

  boolean isNative() {
    return this == NATIVE || this == NATIVE_DRA;
  }

  /** Whether kube-scheduler binds gangs together by their PodGroups. */
  boolean needsPodGroups() {
    return isNative() || this == MUSTER_NATIVE;
  }

  boolean hasDraNodes() {
    return this == DRA || this == NATIVE_DRA;
  }

  boolean isProbe() {
    return this == PROBE || this == GATED;
  }
}
