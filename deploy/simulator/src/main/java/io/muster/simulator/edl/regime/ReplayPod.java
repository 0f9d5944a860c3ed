package io.muster.simulator.edl.regime;

import java.util.Optional;

/** A pod of the replay; times are seconds since its beginning. Confined to one thread. */
public final class ReplayPod {

  private static final int NEVER = Integer.MAX_VALUE;

  final int number;

  /** Empty for one of the online service. */
  final Optional<JobRun> job;

  public final int cpuMillis;
  final int gpus;
  Optional<EdlMachine> machine = Optional.empty();
  int madeAt;
  double runsFrom = NEVER;
  public int goneAt = NEVER;

  /** When a scheduler that backs off looks at it again, and how long it waits after that. */
  public int retryAt;

  int nextWait = 1;

  /** Pods that had gone when it was last tried. */
  int seenFreed = -1;

  ReplayPod(int number, Optional<JobRun> job, int cpuMillis, int gpus) {
    this.number = number;
    this.job = job;
    this.cpuMillis = cpuMillis;
    this.gpus = gpus;
  }

  boolean isOfService() {
    return job.isEmpty();
  }

  public boolean isBound() {
    return machine.isPresent();
  }

  public boolean isLeaving() {
    return goneAt != NEVER;
  }

  /** Whether its containers have started, be it on its way out by now or not. */
  public boolean hasStarted(int now) {
    return runsFrom <= now;
  }

  public boolean isUp(int now) {
    return hasStarted(now) && !isLeaving();
  }

  String uid() {
    return "pod-" + number;
  }
}
