package io.muster.extender.core.device;

/** What the ledger counts for pods. */
@FunctionalInterface
public interface CountedPods {

  /**
   * Units of the resource that the pod takes, or will take, of the node; 0 of one that has ended or
   * gone, or is on another.
   */
  long units(String uid, String node, String resource);
}
