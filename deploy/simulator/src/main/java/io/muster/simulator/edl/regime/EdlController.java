package io.muster.simulator.edl.regime;

import java.util.Comparator;

/**
 * Keeps as many trainers as a job is to have: of too many, those without a node go first, then
 * those that have not started, then the youngest. Confined to one thread.
 */
public final class EdlController {

  private final World world;

  EdlController(World world) {
    this.world = world;
  }

  void reconcile(JobRun job) {
    var staying = job.staying();
    for (int i = staying.size(); i < job.size; i++) {
      world.addTrainer(job);
    }
    staying.stream()
        .sorted(
            Comparator.comparing(ReplayPod::isBound)
                .thenComparing(pod -> pod.hasStarted(world.now))
                .thenComparing(pod -> pod.number, Comparator.reverseOrder()))
        .limit(Math.max(0, staying.size() - job.size))
        .forEach(world::moveAway);
  }
}
