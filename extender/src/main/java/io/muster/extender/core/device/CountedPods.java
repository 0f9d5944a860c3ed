package io.muster.extender.core.device;

/** What the ledger counts for pods. */
@FunctionalInterface
public interface CountedPods {

  /** Units of the resource that the pod takes or will take; 0 of one that has ended or gone. */
  long units(String uid, String resource);
}
