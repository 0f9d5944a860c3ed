package io.muster.simulator.edl.regime;

import java.util.Optional;

/**
 * kube-scheduler and a job controller alone, as in 2017: every pod for itself. With EDL's
 * controller beside them the sizes of jobs change, else they are fixed. Confined to one thread.
 */
public final class PodByPod implements Regime {

  private static final int ROUND = 5;

  private final World world;
  private final EdlController controller;
  private final BackingOffScheduler scheduler;
  private final Optional<EdlLoop> edl;

  PodByPod(
      World world,
      Optional<EdlLoop.Setting> edl,
      BackingOffScheduler.Retry retry,
      BackingOffScheduler.Preference preference) {
    this.world = world;
    this.controller = new EdlController(world);
    this.scheduler = new BackingOffScheduler(world, retry, preference);
    this.edl = edl.map(setting -> new EdlLoop(world, setting));
  }

  @Override
  public void submitted(JobRun job) {
    job.size = job.shape.first();
    world.addServers(job);
    controller.reconcile(job);
  }

  @Override
  public void act() {
    scheduler.schedule(world.pods());
    if (world.now % ROUND == 0) {
      edl.ifPresent(EdlLoop::decide);
    }
    world.jobs.stream().filter(job -> !job.hasEnded()).forEach(controller::reconcile);
  }
}
