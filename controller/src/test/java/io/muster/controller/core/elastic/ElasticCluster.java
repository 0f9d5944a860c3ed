package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.elastic.View.OnlinePod;
import io.muster.controller.core.elastic.View.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/**
 * Pools of devices with elastic jobs and gangs on them, in ticks of five seconds: what is decided
 * in one tick is done by the next, and a worker that leaves takes some ticks.
 */
final class ElasticCluster extends AnyRoom {

  static final Duration TICK = Duration.ofSeconds(5);

  Instant now = Instant.EPOCH;

  /** Ticks from a give-back until the workers are gone. */
  int ticksToLeave = 1;

  /** So many wishes the planner was asked for. */
  long wishes;

  /** Growth fails, as if the room had been taken by somebody else. */
  boolean growthFails;

  final List<Decision> decided = new ArrayList<>();
  final Map<String, Job> jobs = new LinkedHashMap<>();
  private final Map<String, Integer> devices = new HashMap<>();
  private final Map<String, Gang> gangs = new LinkedHashMap<>();
  private final List<OnlinePod> online = new ArrayList<>();
  private final List<OnlinePod> served = new ArrayList<>();
  private final Elasticity policy;
  private int uids;

  ElasticCluster(Elasticity policy) {
    this.policy = policy;
  }

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

    /** Workers of each segment; 0: it has none. */
    int segment;

    Terms terms = new Terms(Sharing.WITH_EQUALS, Duration.ZERO, List.of());

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
    return new Worker(job.name + "-worker-" + job.size(), job.pool + "/" + uids++, now);
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
    long serving = served.stream().filter(pod -> poolOf(pod.uid()).equals(pool)).count();
    return devices.get(pool) - used - (int) serving;
  }

  /** What is so now. */
  View view() {
    return new View(
        jobs.values().stream().map(this::seen).toList(),
        gangs.values().stream()
            .filter(gang -> !gang.isRunning())
            .map(gang -> new Waiting(gang.name(), gang.priority()))
            .toList(),
        List.copyOf(online),
        jobs.values().stream()
            .flatMap(job -> job.leaving.keySet().stream())
            .map(Worker::uid)
            .toList(),
        this);
  }

  private ResizableJob seen(Job job) {
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
        job.coming,
        job.terms);
  }

  List<Decision> decide() {
    return policy.plan(view(), now);
  }

  /** Decides, does it, and lets five seconds pass. */
  void tick() {
    var decisions = decide();
    decided.addAll(decisions);
    for (var decision : decisions) {
      var job = jobs.get(decision.job());
      policy.carriedOut(decision, now);
      switch (decision) {
        case Decision.Grow grow -> {
          for (int i = 0; i < grow.count() && !growthFails; i++) {
            job.workers.add(worker(job));
          }
          job.last = Optional.of(new Step(now, growthFails));
        }
        case Decision.GiveBack giveBack -> {
          job.last = Optional.of(new Step(now, false));
          job.workers.stream()
              .filter(worker -> giveBack.workers().contains(worker.name()))
              .forEach(worker -> job.leaving.put(worker, ticksToLeave));
        }
      }
    }
    for (var job : jobs.values()) {
      job.leaving.replaceAll((_, ticks) -> ticks - 1);
      job.workers.removeIf(worker -> job.leaving.getOrDefault(worker, 1) <= 0);
      job.leaving.values().removeIf(ticks -> ticks <= 0);
    }
    serve();
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

  /** A pod without a gang, which kube-scheduler puts where there is room. */
  void online(String name, String pool, int priority) {
    online(name, pool, priority, "team", pool);
  }

  void online(String name, String pool, int priority, String namespace, String shape) {
    online.add(new OnlinePod(pool + "/" + name, namespace, priority, shape));
  }

  void endSomeOnline(Random random) {
    var all = random.nextBoolean() && !served.isEmpty() ? served : online;
    if (!all.isEmpty()) {
      all.remove(random.nextInt(all.size()));
    }
  }

  void endSomeGang(Random random) {
    if (!gangs.isEmpty()) {
      end(List.copyOf(gangs.keySet()).get(random.nextInt(gangs.size())));
    }
  }

  /** All its workers have begun just now. */
  void youngen(String job) {
    jobs.get(job).workers.replaceAll(worker -> new Worker(worker.name(), worker.uid(), now));
  }

  private void serve() {
    for (var pod : List.copyOf(online)) {
      if (free(poolOf(pod.uid())) > 0) {
        online.remove(pod);
        served.add(pod);
      }
    }
  }

  @Override
  public Amounts offered() {
    return new Amounts(1_000L * devices.values().stream().mapToInt(i -> i).sum(), 1, 1_000);
  }

  @Override
  public Amounts asked() {
    long pods =
        jobs.values().stream().mapToLong(Job::size).sum()
            + gangs.values().stream().mapToLong(Gang::size).sum()
            + online.size()
            + served.size();
    return new Amounts(1_000 * pods, 0, 0);
  }

  @Override
  public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
    this.wishes += wishes.size();
    var free = new HashMap<String, Integer>();
    devices.keySet().forEach(pool -> free.put(pool, free(pool)));
    gone.forEach(uid -> free.merge(poolOf(uid), 1, Integer::sum));
    var places = new ArrayList<Optional<List<String>>>();
    for (var wish : wishes) {
      var asked = pools(wish);
      var needed = new HashMap<String, Integer>();
      asked.forEach(pool -> needed.merge(pool, 1, Integer::sum));
      boolean fits =
          needed.entrySet().stream().allMatch(each -> each.getValue() <= free.get(each.getKey()));
      if (fits) {
        needed.forEach((pool, count) -> free.merge(pool, -count, Integer::sum));
      }
      places.add(fits ? Optional.of(asked) : Optional.empty());
    }
    return places;
  }

  private List<String> pools(Wish wish) {
    return wish instanceof Wish.OfGang(String gang)
        ? Collections.nCopies(gangs.get(gang).size(), gangs.get(gang).pool())
        : likes(wish).stream().map(ElasticCluster::poolOf).toList();
  }

  @Override
  public boolean couldUse(Wish wish, String node) {
    return pools(wish).contains(node);
  }

  @Override
  public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
    var sites = new HashMap<String, Site>();
    podUids.forEach(uid -> sites.put(uid, new Site(poolOf(uid), 0, segment(uid))));
    return sites;
  }

  private OptionalInt segment(String uid) {
    for (var job : jobs.values()) {
      for (int i = 0; i < job.workers.size() && job.segment > 0; i++) {
        if (job.workers.get(i).uid().equals(uid)) {
          return OptionalInt.of(i / job.segment);
        }
      }
    }
    return OptionalInt.empty();
  }

  /** What was decided, without the reasons. */
  static List<String> said(List<Decision> decisions) {
    return decisions.stream()
        .map(decision ->
            switch (decision) {
              case Decision.Grow grow -> grows(grow.job(), grow.count());
              case Decision.GiveBack back ->
                  gives(
                      back.job(),
                      back.workers(),
                      back.gang().orElse(back.cause().name().toLowerCase(Locale.ROOT)));
            })
        .toList();
  }

  static String grows(String job, int count) {
    return "%s grows by %d".formatted(job, count);
  }

  static String gives(String job, List<String> workers, String whom) {
    return "%s gives %s for %s".formatted(job, workers, whom);
  }
}
