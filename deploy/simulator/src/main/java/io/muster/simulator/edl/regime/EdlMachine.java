package io.muster.simulator.edl.regime;

/** A node of the replay: what it has and what no pod has taken. Confined to one thread. */
public final class EdlMachine {

  public final String name;
  public final int cpuMillis;
  public final int gpus;

  /** Taken by pods of the system for good. */
  public final int systemCpu;

  public int freeCpu;
  public int freeGpus;

  /** Pods of the online service that are to stay. */
  public int services;

  public EdlMachine(String name, int cpuMillis, int gpus, int systemCpu) {
    this.name = name;
    this.cpuMillis = cpuMillis;
    this.gpus = gpus;
    this.systemCpu = systemCpu;
    this.freeCpu = cpuMillis - systemCpu;
    this.freeGpus = gpus;
  }

  boolean hasRoomFor(ReplayPod pod) {
    return freeCpu >= pod.cpuMillis && freeGpus >= pod.gpus;
  }

  void take(ReplayPod pod) {
    freeCpu -= pod.cpuMillis;
    freeGpus -= pod.gpus;
    services += pod.isOfService() ? 1 : 0;
    if (freeCpu < 0 || freeGpus < 0) {
      throw new IllegalStateException(
          "%s is overbooked: %d CPU, %d GPUs".formatted(name, freeCpu, freeGpus));
    }
  }

  /** One of its pods is to stay no longer. */
  void letGo(ReplayPod pod) {
    services -= pod.isOfService() ? 1 : 0;
  }

  void free(ReplayPod pod) {
    freeCpu += pod.cpuMillis;
    freeGpus += pod.gpus;
  }
}
