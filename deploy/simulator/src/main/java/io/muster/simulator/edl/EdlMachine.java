package io.muster.simulator.edl;

/** A node of the replay: what it has and what no pod has taken. Confined to one thread. */
final class EdlMachine {

  final String name;
  final int cpuMillis;
  final int gpus;

  /** Taken by pods of the system for good. */
  final int systemCpu;

  int freeCpu;
  int freeGpus;

  /** Pods of the online service that are to stay. */
  int services;

  EdlMachine(String name, int cpuMillis, int gpus, int systemCpu) {
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
    services += pod.role == EdlRole.SERVICE ? 1 : 0;
    if (freeCpu < 0 || freeGpus < 0) {
      throw new IllegalStateException(
          "%s is overbooked: %d CPU, %d GPUs".formatted(name, freeCpu, freeGpus));
    }
  }

  /** One of its pods is to stay no longer. */
  void letGo(ReplayPod pod) {
    services -= pod.role == EdlRole.SERVICE ? 1 : 0;
  }

  void free(ReplayPod pod) {
    freeCpu += pod.cpuMillis;
    freeGpus += pod.gpus;
  }
}
