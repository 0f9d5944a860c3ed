package io.muster.deploy.simulate.world;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.IntConsumer;

/**
 * Replays a trace through Muster's own protocol in virtual time:
 *
 * <ol>
 *   <li>a job arrives: its members are stored, gated, and the protocol is told;
 *   <li>what the protocol wants done is done in the same moment; a released member runs;
 *   <li>once all members run the work begins; when it is done they end together;
 *   <li>a gang that is ended for another holds its devices for its grace period, then its owner
 *       makes it anew, and it goes on from its last checkpoint after the restart time;
 *   <li>while gangs wait the protocol is told the time, the less often the longer nothing happens.
 * </ol>
 *
 * <p>Not simulated: how long binding takes, faults of nodes and pods. The same input gives the same
 * result. Not safe for concurrent use.
 */
public final class Simulation {

  private enum Kind {
    ARRIVAL,
    END,
    GONE,
    TICK
  }

  private record Step(long at, long order, Kind kind, Optional<RunningJob> job, int life) {}

  private static final long FIRST_TICK = Duration.ofSeconds(2).toMillis();

  /** Without waiting gangs the clock is looked at only so often, and when something happens. */
  private static final long IDLE_TICK = Duration.ofMinutes(1).toMillis();

  /** Where nothing but time has passed for so long, nothing more will happen. */
  private static final long HOPELESS = Duration.ofDays(7).toMillis();

  private final Trace trace;
  private final Setup setup;
  private final GangProtocol protocol;
  private final Gauge gauge;
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
  private final Map<GangId, RunningJob> jobs = new HashMap<>();

  /** By the uids of their pods. */
  private final Map<String, RunningJob> byUid = new HashMap<>();

  private final List<Result.Finished> finished = new ArrayList<>();
  private final List<Event> inbox = new ArrayList<>();
  private final IntConsumer progress;
  private long order;
  private long now;
  private long tickGap = FIRST_TICK;
  private OptionalLong tickAt = OptionalLong.empty();
  private long lastTick;
  private long lastHappening;
  private long makespan;
  private long preemptions;
  private double wasted;
  private long impossible;

  /**
   * A replay that has not begun.
   *
   * @param progress is told how many jobs have ended, now and then
   */
  public Simulation(Trace trace, Setup setup, IntConsumer progress) {
    this.trace = trace;
    this.setup = setup;
    this.progress = progress;
    protocol = new GangProtocol(setup.deadlines(), setup.rules());
    gauge = new Gauge(trace.gpus());
  }

  /** Replays it all; to be called once. */
  public Result run(String policy) {
    begin();
    while (!steps.isEmpty() && (finished.size() + impossible < jobs.size())) {
      now = steps.peek().at();
      if (now - lastHappening > HOPELESS && isQuiet()) {
        break;
      }
      gauge.moveTo(now);
      while (!steps.isEmpty() && steps.peek().at() == now) {
        take(steps.poll());
      }
      settle();
      tickLater();
    }
    return result(policy);
  }

  private boolean isQuiet() {
    return steps.stream().allMatch(step -> step.kind() == Kind.TICK);
  }

  private void begin() {
    trace.machines().forEach(machine -> inbox.add(new Event.NodeSeen(Life.node(machine))));
    inbox.add(new Event.QueuesSet(setup.queues()));
    inbox.add(new Event.LeaseHeld(Instant.MAX, false));
    inbox.add(new Event.Ready());
    settle();
    var possible = new Possible(trace.machines());
    for (var job : trace.jobs()) {
      var running = new RunningJob(job);
      if (jobs.put(Life.gang(job), running) != null) {
        throw new IllegalArgumentException("job %s is there twice".formatted(job.id()));
      }
      if (possible.holds(job)) {
        at(running.submittedAt, Kind.ARRIVAL, running);
      } else {
        impossible++;
      }
    }
  }

  private void at(long millis, Kind kind, RunningJob job) {
    steps.add(new Step(millis, order++, kind, Optional.of(job), job.lives));
  }

  private void take(Step step) {
    if (step.kind() == Kind.TICK) {
      tickAt = OptionalLong.empty();
      tick();
      return;
    }
    var running = step.job().orElseThrow();
    boolean isOfThisLife = step.life() == running.lives;
    switch (step.kind()) {
      case ARRIVAL -> arrive(running);
      case END -> {
        if (isOfThisLife && !running.ending) {
          end(running);
        }
      }
      case GONE -> {
        leave(running);
        arrive(running);
      }
      case TICK -> {}
    }
    lastHappening = now;
    tickGap = FIRST_TICK;
    if (now - lastTick >= IDLE_TICK) {
      tick();
    }
  }

  private void tick() {
    inbox.add(new Event.Tick(false));
    lastTick = now;
  }

  private void arrive(RunningJob running) {
    running.lives++;
    running.ending = false;
    running.bound = 0;
    running.boundGpus = 0;
    running.startedAt = OptionalLong.empty();
    running.pods.clear();
    for (var pod : Life.pods(running.job, running.lives, setup, instant())) {
      running.pods.put(pod.key().uid(), pod);
      byUid.put(pod.key().uid(), running);
      inbox.add(new Event.PodSeen(pod));
    }
    gauge.waits(running.job.gpus());
  }

  /** Its pods are deleted. */
  private void leave(RunningJob running) {
    for (var pod : running.pods.values()) {
      inbox.add(new Event.PodGone(pod.key()));
      byUid.remove(pod.key().uid());
    }
    running.pods.clear();
    gauge.take(-running.boundGpus);
    running.boundGpus = 0;
  }

  private void end(RunningJob running) {
    running.ended = true;
    running.pods.values().forEach(pod -> inbox.add(new Event.PodSeen(Life.succeeded(pod))));
    leave(running);
    makespan = now;
    finished.add(
        new Result.Finished(
            running.job.id(),
            running.job.tenant(),
            running.job.gpus(),
            running.job.submit(),
            Duration.ofMillis(running.firstStartAt.orElseThrow() - running.submittedAt),
            Duration.ofMillis(now - running.submittedAt),
            running.job.duration(),
            running.preemptions()));
    progress.accept(finished.size());
  }

  /** Tells what has happened and does what is wanted for it, until nothing more is. */
  private void settle() {
    while (!inbox.isEmpty()) {
      var events = List.copyOf(inbox);
      inbox.clear();
      protocol.onAll(events, instant()).forEach(this::carryOut);
    }
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.WriteRecord(var record, var _) ->
          inbox.add(new Event.RecordWritten(record.gang(), record.epoch(), true));
      case Effect.Release release -> release(release);
      case Effect.Evict(var pod, var _, var _) -> evict(pod.uid());
      case Effect.Bind _, Effect.AnswerBind _, Effect.Remake _ ->
          throw new IllegalStateException("nobody asked for " + effect);
      case Effect.WriteReport _,
          Effect.Forget _,
          Effect.Ungate _,
          Effect.Wake _,
          Effect.Explain _,
          Effect.Show _,
          Effect.Warn _,
          Effect.Announce _ -> {}
    }
  }

  /** kube-scheduler binds a released member where it is tied to. */
  private void release(Effect.Release release) {
    var running = byUid.get(release.pod().uid());
    var gated = running.pods.get(release.pod().uid());
    if (gated.isBound()) {
      return;
    }
    var pod = Life.bound(gated, release.pin().nodes().getFirst(), instant());
    running.pods.put(pod.key().uid(), pod);
    inbox.add(new Event.PodSeen(pod));
    long gpus = pod.demand().requests().devices();
    gauge.take(gpus);
    long before = incomplete(running);
    running.bound++;
    running.boundGpus += gpus;
    gauge.holdIncomplete(incomplete(running) - before);
    if (running.isWhole()) {
      start(running);
    }
  }

  private static long incomplete(RunningJob running) {
    return running.isWhole() ? 0 : running.boundGpus;
  }

  private void start(RunningJob running) {
    gauge.waitsNoMore(running.job.gpus());
    running.startedAt = OptionalLong.of(now);
    if (running.firstStartAt.isEmpty()) {
      running.firstStartAt = OptionalLong.of(now);
    }
    long left = running.job.duration().toMillis() - running.saved;
    at(now + overhead(running) + left, Kind.END, running);
    lastHappening = now;
  }

  private long overhead(RunningJob running) {
    return running.lives == 1 ? 0 : setup.costs().restart().toMillis();
  }

  /** The first member that is told to end takes the others with it, as the protocol wants them. */
  private void evict(String uid) {
    var running = byUid.get(uid);
    var pod = running.pods.get(uid);
    if (pod == null || pod.progress().deleting() || running.ended) {
      return;
    }
    var ending = Life.ending(pod);
    running.pods.put(uid, ending);
    inbox.add(new Event.PodSeen(ending));
    if (running.ending) {
      return;
    }
    running.ending = true;
    preemptions++;
    long ran = now - running.startedAt.orElse(now);
    long worked = Math.max(0, ran - overhead(running));
    long kept = setup.costs().kept(Duration.ofMillis(worked)).toMillis();
    running.saved += kept;
    wasted += (double) (ran - kept) * running.job.gpus() / 1000;
    at(now + setup.costs().grace().toMillis(), Kind.GONE, running);
  }

  private void tickLater() {
    if (tickAt.isEmpty() && gauge.anyWaits()) {
      tickAt = OptionalLong.of(now + tickGap);
      steps.add(new Step(now + tickGap, order++, Kind.TICK, Optional.empty(), 0));
      tickGap = Math.min(2 * tickGap, setup.longestTick().toMillis());
    }
  }

  private Instant instant() {
    return Instant.EPOCH.plusMillis(now);
  }

  private Result result(String policy) {
    return new Result(
        trace.name(),
        policy,
        trace.gpus(),
        finished,
        jobs.size() - finished.size() - impossible,
        impossible,
        Duration.ofMillis(makespan),
        gauge.usedGpuSeconds(),
        wasted,
        gauge.fragmentedGpuSeconds(),
        gauge.incompleteGpuSeconds(),
        preemptions,
        gauge.samples());
  }
}
