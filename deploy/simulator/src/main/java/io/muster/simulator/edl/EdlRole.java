package io.muster.simulator.edl;

/** What a pod of the replay does. */
enum EdlRole {
  MASTER,
  PSERVER,
  TRAINER,
  /** Of the online service, which belongs to no job. */
  SERVICE
}
