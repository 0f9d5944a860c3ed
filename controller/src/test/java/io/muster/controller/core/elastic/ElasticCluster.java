package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.Elasticity.View;
import io.muster.controller.core.elastic.Elasticity.Waiting;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pools of devices with elastic jobs and gangs on them, in ticks of five seconds: what is decided
 * in one tick is done by the next, and a worker that leaves takes some ticks.
 */
final class ElasticCluster implements Room {

  static final Duration TICK = Duration.ofSeconds(5);

  Instant now = Instant.EPOCH;

  /** Ticks from a give-back until the workers are gone. */
  int ticksToLeave = 1;

  /** Growth fails, as if the room had been taken by somebody else. */
  boolean growthFails;

  final List<Decision> decided = new ArrayList<>();
  final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Map<String, Integer> devices = new HashMap<>();
  private final Map<String, Gang> gangs = new LinkedHashMap<>();
  private int uids;

  /** A job whose workers hold a device each. */
  static final class Job {
    final String name;
    final String pool;
    final int priority;
    final int least;
    final int most;
    final List<Worker> workers = new ArrayList<>();
    final Map<Worker, Integer> leaving = new LinkedHashMap<>();
    Stride stride = Stride.ONE;
    Optional<Step> last = Optional.empty();
    boolean isIdle = true;
    boolean isWhole = true;
    int coming;

    Job(String name, String pool, int priority, int least, int most) {
      this.name = name;
      this.pool = pool;
      this.priority = priority;
      this.least = least;
      this.most = most;
    }

    int size() {
      return workers.size();
    }
  }

  private record Gang(String name, String pool, int priority, int size, boolean isRunning) {}

  ElasticCluster devices(String pool, int count) {
    devices.put(pool, count);
    return this;
  }

  Job job(String name, String pool, int priority, int size, int least, int most) {
    var job = new Job(name, pool, priority, least, most);
    for (int i = 0; i < size; i++) {
      job.workers.add(worker(job));
    }
    jobs.put(name, job);
    return job;
  }

  private Worker worker(Job job) {
    return new Worker(job.name + "-worker-" + job.size(), job.pool + "/" + uids++);
  }

  void gang(String name, String pool, int priority, int size) {
    gangs.put(name, new Gang(name, pool, priority, size, false));
  }

  void end(String gang) {
    gangs.remove(gang);
  }

  boolean runs(String gang) {
    return gangs.get(gang).isRunning();
  }

  int free(String pool) {
    int used =
        jobs.values().stream().filter(job -> job.pool.equals(pool)).mapToInt(Job::size).sum()
            + gangs.values().stream()
                .filter(gang -> gang.isRunning() && gang.pool().equals(pool))
                .mapToInt(Gang::size)
                .sum();
    return devices.get(pool) - used;
  }

  /** What is so now. */
  View view() {
    return new View(
        jobs.values().stream().map(ElasticCluster::seen).toList(),
        gangs.values().stream()
            .filter(gang -> !gang.isRunning())
            .map(gang -> new Waiting(gang.name(), gang.priority()))
            .toList(),
        jobs.values().stream()
            .flatMap(job -> job.leaving.keySet().stream())
            .map(Worker::uid)
            .toList(),
        this);
  }

  private static ResizableJob seen(Job job) {
    return new ResizableJob(
        job.name,
        job.priority,
        job.workers,
        job.least,
        job.most,
        job.stride,
        Duration.ofSeconds(60),
        job.last,
        job.isIdle && job.leaving.isEmpty(),
        job.isWhole,
        job.coming);
  }

  List<Decision> decide() {
    return Elasticity.plan(view(), now);
  }

  /** Decides, does it, and lets five seconds pass. */
  void tick() {
    var decisions = decide();
    decided.addAll(decisions);
    for (var decision : decisions) {
      var job = jobs.get(decision.job());
      switch (decision) {
        case Decision.Grow(String _, int count) -> {
          for (int i = 0; i < count && !growthFails; i++) {
            job.workers.add(worker(job));
          }
          job.last = Optional.of(new Step(now, growthFails));
        }
        case Decision.GiveBack(String _, List<String> names, String _) -> {
          job.last = Optional.of(new Step(now, false));
          job.workers.stream()
              .filter(worker -> names.contains(worker.name()))
              .forEach(worker -> job.leaving.put(worker, ticksToLeave));
        }
      }
    }
    for (var job : jobs.values()) {
      job.leaving.replaceAll((_, ticks) -> ticks - 1);
      job.workers.removeIf(worker -> job.leaving.getOrDefault(worker, 1) <= 0);
      job.leaving.values().removeIf(ticks -> ticks <= 0);
    }
    gangs.replaceAll((_, gang) ->
        new Gang(
            gang.name(),
            gang.pool(),
            gang.priority(),
            gang.size(),
            gang.isRunning() || gang.size() <= free(gang.pool())));
    now = now.plus(TICK);
  }

  void ticks(int count) {
    for (int i = 0; i < count; i++) {
      tick();
    }
  }

  private static String poolOf(String uid) {
    return uid.substring(0, uid.indexOf('/'));
  }

  @Override
  public Optional<List<String>> places(List<String> podUids) {
    var asked = new HashMap<String, Integer>();
    podUids.forEach(uid -> asked.merge(poolOf(uid), 1, Integer::sum));
    return asked.entrySet().stream().allMatch(ask -> ask.getValue() <= free(ask.getKey()))
        ? Optional.of(podUids.stream().map(ElasticCluster::poolOf).toList())
        : Optional.empty();
  }

  @Override
  public boolean couldUse(String gang, String node) {
    return gangs.get(gang).pool().equals(node);
  }

  @Override
  public boolean fitsWithout(String gang, List<String> podUids) {
    var asked = gangs.get(gang);
    long gone = podUids.stream().filter(uid -> poolOf(uid).equals(asked.pool())).count();
    return asked.size() <= free(asked.pool()) + gone;
  }
}
