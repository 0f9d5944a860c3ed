package io.muster.controller.api;

/** What the statuses of all kinds of jobs say. A wire type. Immutable. */
public interface JobStatus {

  /** In the words of the kind; null or empty before the job was taken up. */
  String phase();

  /** What Muster has to remember; null if Muster has not taken the job up. */
  StoredState state();

  /** The generation of the spec that the status answers; null if it says none. */
  Long observedGeneration();
}
