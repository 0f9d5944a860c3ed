package io.muster.simulator.edl.regime;

/** What a pod of the replay does. */
public enum EdlRole {
  MASTER,
  PSERVER,
  TRAINER,
  /** Of the online service, which belongs to no job. */
  SERVICE
}
