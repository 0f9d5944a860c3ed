package io.muster.simulator.edl.regime;

import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.GangPolicy;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.elastic.View;
import io.muster.controller.core.elastic.View.OnlinePod;
import io.muster.controller.core.elastic.View.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Muster: its planner places whole gangs as soon as one fits, its policy decides every five seconds
 * who grows and who gives back, and kube-scheduler of today places the online service. Confined to
 * one thread.
 */
public final class WholeGangs implements Regime {

  /** Seconds. */
  public static final int ROUND = 5;

  /** Seconds that kube-scheduler gets for a pod before trainers leave for it. */
  private static final int A_MOMENT = 2;

  private static final Duration RESIZE_COST = Duration.ofSeconds(60);

  private final World world;
  private final BackingOffScheduler scheduler;
  private final PlannedRoom room;
  private final GangPolicy policy;
  private final Setting setting;

  /**
   * How it is set up.
   *
   * @param isElastic otherwise jobs have the size they are submitted with, all of it a gang
   * @param preference of the scheduler that places the online service
   */
  record Setting(
      GangPolicy.HeadRoom headRoom, boolean isElastic, BackingOffScheduler.Preference preference) {}

  WholeGangs(World world, Setting setting) {
    this.world = world;
    this.scheduler =
        new BackingOffScheduler(world, BackingOffScheduler.Retry.OF_TODAY, setting.preference());
    this.room = new PlannedRoom(world);
    this.policy = new GangPolicy(setting.headRoom());
    this.setting = setting;
  }

  @Override
  public void submitted(JobRun job) {
    world.addServers(job);
    job.size = setting.isElastic() ? job.shape.least() : job.shape.first();
    for (int i = 0; i < job.size; i++) {
      world.addTrainer(job);
    }
  }

  @Override
  public void act() {
    scheduler.schedule(world.services.stream());
    room.catchUp();
    for (var job : waiting()) {
      var pods = job.pods().toList();
      var places = room.placesOf(pods);
      if (places.isEmpty()) {
        break;
      }
      bind(pods, places.get());
    }
    if (setting.isElastic() && world.now % ROUND == 0) {
      var now = Instant.ofEpochSecond(world.now);
      for (var decision : policy.plan(view(), now)) {
        carryOut(decision);
        policy.carriedOut(decision, now);
      }
    }
  }

  private void bind(List<ReplayPod> pods, List<EdlMachine> places) {
    for (int i = 0; i < pods.size(); i++) {
      world.bind(pods.get(i), places.get(i));
    }
    room.catchUp();
  }

  private List<JobRun> waiting() {
    return world.jobs.stream()
        .filter(job -> !job.hasEnded() && job.servers.stream().noneMatch(ReplayPod::isBound))
        .toList();
  }

  private View view() {
    var running = new ArrayList<>(world.jobs);
    running.removeAll(waiting());
    running.removeIf(JobRun::hasEnded);
    return new View(
        running.stream().map(this::seen).toList(),
        waiting().stream().map(job -> new Waiting(job.key(), 0)).toList(),
        world.services.stream()
            .filter(pod -> !pod.isBound() && pod.madeAt + A_MOMENT <= world.now)
            .map(pod -> new OnlinePod(pod.uid(), "", 0, "service"))
            .toList(),
        world.pods().filter(ReplayPod::isLeaving).map(ReplayPod::uid).toList(),
        room);
  }

  private ResizableJob seen(JobRun job) {
    var staying = job.staying();
    return new ResizableJob(
        job.key(),
        0,
        staying.stream().map(WholeGangs::worker).toList(),
        job.shape.least(),
        job.shape.most(),
        new Stride(1, job.shape.most()),
        Duration.ZERO,
        Optional.empty(),
        true,
        job.isWhole(world.now) && job.trainersUp(world.now) == job.size,
        0,
        new Terms(
            ResizableJob.Sharing.WITH_EQUALS,
            RESIZE_COST,
            job.servers.stream().map(ReplayPod::uid).toList()));
  }

  private static Worker worker(ReplayPod pod) {
    return new Worker(pod.uid(), pod.uid(), Instant.ofEpochSecond((long) Math.ceil(pod.runsFrom)));
  }

  private void carryOut(Decision decision) {
    var job =
        world.jobs.stream().filter(each -> each.key().equals(decision.job())).findFirst().get();
    switch (decision) {
      case Decision.Grow grow -> {
        int count = grow.count();
        job.size += count;
        var pods = Stream.generate(() -> world.addTrainer(job)).limit(count).toList();
        bind(pods, room.placesOf(pods).orElseThrow());
      }
      case Decision.GiveBack giveBack -> {
        job.size -= giveBack.workers().size();
        job.staying().stream()
            .filter(pod -> giveBack.workers().contains(pod.uid()))
            .forEach(world::moveAway);
      }
    }
  }

  /** As ReplicaSets do it today: those that have most of their like beside them, then any. */
  @Override
  public Comparator<ReplayPod> firstToLeave() {
    var together = new HashMap<ReplayPod, Integer>();
    var drawn = new HashMap<ReplayPod, Integer>();
    for (var pod : world.services) {
      together.put(pod, pod.machine.map(machine -> machine.services).orElse(0));
      drawn.put(pod, world.random.nextInt());
    }
    return Comparator.comparingInt((ReplayPod pod) -> together.get(pod))
        .reversed()
        .thenComparingInt(drawn::get);
  }

  @Override
  public int headRoom() {
    return setting.isElastic()
            && !world.jobs.isEmpty()
            && keepsRoom()
            && room.placesOf(nextGang()).isPresent()
        ? world.jobs.getLast().shape.leastCpu()
        : 0;
  }

  private boolean keepsRoom() {
    return switch (setting.headRoom()) {
      case NONE -> false;
      case WITHOUT_DEVICES -> world.jobs.getLast().shape.trainerGpus() == 0;
      case ALL -> true;
    };
  }

  private List<ReplayPod> nextGang() {
    var last = world.jobs.getLast();
    var pods = new ArrayList<>(last.servers);
    last.trainers.stream().limit(last.shape.least()).forEach(pods::add);
    return pods;
  }
}
