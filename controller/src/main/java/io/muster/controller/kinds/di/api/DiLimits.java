package io.muster.controller.kinds.di.api;

/** How much there may be in a DIJob. */
final class DiLimits {

  /** These bound what the API server may have to check. */
  static final int MOST_TASKS = 64;

  static final int MOST_CONTAINERS = 32;
  static final int MOST_VOLUMES = 64;

  /** Of one pod of a job with template: each has a port of its own. */
  static final int MOST_PROCESSES = 1000;

  /** Of a DNS label: names of pods, hosts and volumes. */
  static final int LONGEST_LABEL = 63;

  static final int LONGEST_WORD = 16;

  private DiLimits() {}
}
