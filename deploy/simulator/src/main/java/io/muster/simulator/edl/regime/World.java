package io.muster.simulator.edl.regime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The cluster of the replay in virtual time, a second at a time: nodes, jobs and the pods of an
 * online service. It knows what binding, starting and ending take, and decides nothing. Confined to
 * one thread.
 */
public final class World {

  private static final double SOONEST_START = 1.5;
  private static final double LATEST_START = 4;
  private static final int LONGEST_SERVICE_END = 25;

  /** Seconds of its work that a trainer loses by being moved. */
  public static final int MOVE_COSTS = 30;

  public final List<EdlMachine> machines;
  public final List<JobRun> jobs = new ArrayList<>();
  public final List<ReplayPod> services = new ArrayList<>();
  final Random random;
  public int now;

  /** Grows whenever a pod that had a node is gone. */
  int freed;

  /** Trainers that were told to leave though their job goes on. */
  public int moved;

  private final int grace;
  private int pods;

  public World(List<EdlMachine> machines, int grace, Random random) {
    this.machines = List.copyOf(machines);
    this.grace = grace;
    this.random = random;
  }

  public Stream<ReplayPod> pods() {
    return Stream.concat(services.stream(), jobs.stream().flatMap(JobRun::pods));
  }

  public ReplayPod addService(int cpuMillis) {
    var pod = new ReplayPod(pods++, Optional.empty(), cpuMillis, 0);
    pod.madeAt = now;
    services.add(pod);
    return pod;
  }

  void addServers(JobRun job) {
    job.servers.add(pod(job, job.shape.masterCpu(), 0));
    for (int i = 0; i < job.shape.pservers(); i++) {
      job.servers.add(pod(job, job.shape.pserverCpu(), 0));
    }
  }

  public ReplayPod addTrainer(JobRun job) {
    var pod = pod(job, job.shape.trainerCpu(), job.shape.trainerGpus());
    job.trainers.add(pod);
    return pod;
  }

  private ReplayPod pod(JobRun job, int cpuMillis, int gpus) {
    var pod = new ReplayPod(pods++, Optional.of(job), cpuMillis, gpus);
    pod.retryAt = now;
    return pod;
  }

  public void bind(ReplayPod pod, EdlMachine machine) {
    machine.take(pod);
    pod.machine = Optional.of(machine);
    pod.runsFrom = now + SOONEST_START + random.nextDouble() * (LATEST_START - SOONEST_START);
  }

  /** A trainer leaves a job that goes on: what it had done lately is lost. */
  public void moveAway(ReplayPod trainer) {
    if (trainer.isBound()) {
      moved++;
      trainer.job.ifPresent(job -> job.lost += MOVE_COSTS);
    }
    end(trainer);
  }

  /** It leaves at once if it has no node, else after its time of grace. */
  public void end(ReplayPod pod) {
    if (!pod.isBound()) {
      remove(pod);
    } else if (!pod.isLeaving()) {
      pod.machine.ifPresent(machine -> machine.letGo(pod));
      pod.goneAt = now + (pod.isOfService() ? 1 + random.nextInt(LONGEST_SERVICE_END) : grace);
    }
  }

  public void endJob(JobRun job) {
    job.pods().toList().forEach(this::end);
  }

  private void remove(ReplayPod pod) {
    pod.machine.ifPresent(machine -> {
      machine.free(pod);
      freed++;
    });
    pod.job.ifPresentOrElse(
        job -> {
          job.servers.remove(pod);
          job.trainers.remove(pod);
        },
        () -> services.remove(pod));
  }

  /** Whoever was to be gone by now is. */
  public void sweep() {
    pods().filter(pod -> pod.goneAt <= now).toList().forEach(this::remove);
  }

  /** Notes what jobs have come to. */
  public void note() {
    for (var job : jobs) {
      if (job.firstTrainerAt.isEmpty() && job.trainersUp(now) > 0) {
        job.firstTrainerAt = OptionalInt.of(now);
      }
      if (job.wholeAt.isEmpty() && job.isWhole(now)) {
        job.wholeAt = OptionalInt.of(now);
      }
    }
  }
}
