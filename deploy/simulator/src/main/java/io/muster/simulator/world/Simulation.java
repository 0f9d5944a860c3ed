package io.muster.simulator.world;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.simulator.world.Agenda.Kind;
import io.muster.simulator.world.Agenda.Step;
import io.muster.simulator.world.cluster.RunningJob;
import io.muster.simulator.world.cluster.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
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
 *   <li>while gangs wait the protocol is told the time, the less often the longer nothing happens;
 *   <li>so are the sizes of elastic jobs looked at that run: whoever grows or gives back stands
 *       still for a while and then works at another rate, and what it has done is saved.
 * </ol>
 *
 * <p>Not simulated: how long binding takes, faults of nodes and pods. The same input gives the same
 * result. Not safe for concurrent use.
 */
public final class Simulation {

  private static final long FIRST_TICK = Duration.ofSeconds(2).toMillis();

  /** Without waiting gangs the clock is looked at only so often, and when something happens. */
  private static final long IDLE_TICK = Duration.ofMinutes(1).toMillis();

  /** Where nothing but time has passed for so long, nothing more will happen. */
  private static final long HOPELESS = Duration.ofDays(7).toMillis();

  private final Trace trace;
  private final Setup setup;
  private final GangScheduler protocol;
  private final KubeScheduler scheduler;

  /** Whether members are placed as kube-scheduler asks about them. */
  private final boolean asks;

  private final Gauge gauge;
  private final Agenda agenda = new Agenda();
  private final Sizes sizes;
  private final Rounds rounds;

  private final Map<GangId, RunningJob> jobs = new HashMap<>();

  private final List<Event> inbox = new ArrayList<>();
  private final SimulatedPods pods;
  private final Account account;
  private final SegmentCount segments;
  private Consumer<JobStart> whenStarted = _ -> {};
  private Optional<EstimateAccuracy> accuracy = Optional.empty();
  private int arrivals;
  private long now;
  private long tickGap = FIRST_TICK;
  private OptionalLong tickAt = OptionalLong.empty();
  private long lastTick;
  private long lastHappening;

  /**
   * A replay that has not begun.
   *
   * @param progress is told how many jobs have ended, now and then
   */
  public Simulation(Trace trace, Setup setup, IntConsumer progress) {
    this.trace = trace;
    this.setup = setup;
    account = new Account(progress);
    segments = new SegmentCount(setup.segments(), trace.machines());
    protocol = new GangScheduler(setup.deadlines(), setup.rules());
    asks = setup.rules().placement().isAsked();
    scheduler = new KubeScheduler(protocol, trace.machines());
    sizes = new Sizes(protocol, setup.elasticity().get(), setup.costs().resize());
    rounds = new Rounds(agenda, setup.longestTick());
    pods = new SimulatedPods(trace.machines(), inbox::add);
    gauge = new Gauge(trace.gpus());
  }

  /** Tells of each gang that starts, in their order; to be called before the replay. */
  public void onStart(Consumer<JobStart> listener) {
    whenStarted = listener;
  }

  /** Has estimates of starts compared with what happens; to be called before the replay. */
  public void compare(EstimateAccuracy estimates) {
    accuracy = Optional.of(estimates);
  }

  /** Replays it all; to be called once. */
  public Result run(String policy) {
    begin();
    while (!agenda.isEmpty() && account.left(jobs.size()) > 0) {
      now = agenda.next();
      if (now - lastHappening > HOPELESS && agenda.isQuiet()) {
        break;
      }
      gauge.moveTo(now);
      while (agenda.hasAnyAt(now)) {
        take(agenda.take());
      }
      settle();
      compareEstimates();
      if (rounds.takeDue()) {
        resize();
      }
      tickLater();
      if (!sizes.areNone()) {
        rounds.goOn(now);
      }
    }
    return account.result(trace, policy, jobs.size(), gauge, segments);
  }

  private void compareEstimates() {
    for (; arrivals > 0; arrivals--) {
      accuracy.ifPresent(estimates -> estimates.arrived(protocol, instant()));
    }
  }

  private void begin() {
    trace.machines().forEach(machine -> inbox.add(new Event.NodeSeen(Life.node(machine))));
    inbox.add(new Event.QueuesSet(setup.queues()));
    inbox.add(new Event.LevelsSet(Life.levels()));
    inbox.add(new Event.LeaseHeld(Instant.MAX, false));
    inbox.add(new Event.Ready());
    settle();
    var possible = new Possible(trace.machines(), setup.segments());
    for (var job : trace.jobs()) {
      var running = new RunningJob(job);
      if (jobs.put(Life.gang(job), running) != null) {
        throw new IllegalArgumentException("job %s is there twice".formatted(job.id()));
      }
      if (possible.holds(job)) {
        agenda.add(running.submittedAt, Kind.ARRIVAL, running);
      } else {
        account.impossible();
      }
    }
  }

  private void take(Step step) {
    switch (step.kind()) {
      case TICK -> {
        tickAt = OptionalLong.empty();
        tick();
      }
      case ROUND -> rounds.struck(now);
      case ARRIVAL, END, GONE, SMALLER -> {
        happen(step, step.job().orElseThrow());
        lastHappening = now;
        tickGap = FIRST_TICK;
        rounds.happened(now);
        if (now - lastTick >= IDLE_TICK) {
          tick();
        }
      }
    }
  }

  private void happen(Step step, RunningJob running) {
    switch (step.kind()) {
      case ARRIVAL -> {
        arrivals++;
        arrive(running);
      }
      case END -> {
        if (step.plan() == running.plan && !running.ending) {
          end(running);
        }
      }
      case GONE -> {
        leave(running);
        arrive(running);
      }
      case SMALLER -> becomeSmaller(running);
      case TICK, ROUND -> throw new IllegalArgumentException("no job has a " + step.kind());
    }
  }

  private void tick() {
    inbox.add(new Event.Tick(false));
    lastTick = now;
  }

  private void arrive(RunningJob running) {
    running.beginLife();
    gauge.waits(running.job.gpus());
    if (asks) {
      settle();
    }
    Life.pods(running.job, running.lives, setup, instant())
        .forEach(gated -> pods.store(running, gated));
    running.membersMade();
  }

  /** Its pods are deleted. */
  private void leave(RunningJob running) {
    sizes.runsNoMore(running);
    List.copyOf(running.pods.values()).forEach(pod -> pods.delete(running, pod));
    gauge.take(-running.boundGpus);
    running.boundGpus = 0;
  }

  /** Workers are deleted that have been told to leave for long enough. */
  private void becomeSmaller(RunningJob running) {
    for (var pod : running.takeGone(now)) {
      pods.delete(running, pod);
      hold(running, -pod.demand().requests().devices());
    }
  }

  private void hold(RunningJob running, long gpus) {
    gauge.take(gpus);
    running.boundGpus += gpus;
  }

  private void end(RunningJob running) {
    double stoodStill = running.save(now);
    running.pods.replaceAll((_, pod) -> pod.succeeded());
    running.pods.values().forEach(pod -> inbox.add(new Event.PodSeen(pod)));
    leave(running);
    account.finished(running, stoodStill, now);
  }

  /** Tells what has happened and does what is wanted for it, until nothing more is. */
  private void settle() {
    while (!inbox.isEmpty() || !scheduler.isIdle() || protocol.isSearching()) {
      if (inbox.isEmpty() && scheduler.isIdle()) {
        protocol.on(new Event.Idle(), instant()).forEach(this::carryOut);
      } else if (inbox.isEmpty()) {
        schedule(scheduler.next());
      } else {
        var events = List.copyOf(inbox);
        inbox.clear();
        protocol.onAll(events, instant()).forEach(this::carryOut);
      }
    }
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.WriteRecord(var record, var _) ->
          inbox.add(new Event.RecordWritten(record.gang(), record.epoch(), true));
      case Effect.EnsureCompanions(var record, var _, var _) ->
          inbox.add(
              new Event.CompanionsEnsured(record.gang(), record.incarnation(), Optional.empty()));
      case Effect.Release release -> bind(release.pod().uid(), release.pin().nodes().getFirst());
      case Effect.Bind(var gang, var pod, var node, var _, var _, var _) -> {
        bind(pod.uid(), node);
        inbox.add(new Event.BindingEnded(gang, pod, node, new BindingOutcome.Bound()));
      }
      case Effect.Ungate(var pod, var _, var _, var _, var _) -> ungate(pod.uid());
      case Effect.Wake(var pod, var _) -> scheduler.add(pod.uid());
      case Effect.Evict evict -> evict(evict.pod().uid());
      case Effect.Fault fault -> throw new IllegalStateException(fault.step(), fault.cause());
      case Effect.Remake _ -> throw new IllegalStateException("nobody asked for " + effect);
      case Effect.AnswerBind _,
          Effect.WriteReport _,
          Effect.DropCompanions _,
          Effect.Forget _,
          Effect.Explain _,
          Effect.Show _,
          Effect.Warn _,
          Effect.Announce _ -> {}
    }
  }

  /** Has elastic jobs change their sizes, in this moment. */
  private void resize() {
    for (var change : sizes.decide(pods.leaving(), instant())) {
      var running = change.job();
      lastHappening = now;
      rounds.happened(now);
      account.resized(running.save(now));
      switch (change) {
        case Sizes.Change.More(var _, var nodes) -> nodes.forEach(node -> addWorker(running, node));
        case Sizes.Change.Fewer(var _, var workers) -> giveBack(running, workers);
      }
      long done = running.workOn(now, setup.costs().resize().toMillis());
      agenda.add(done, Kind.END, running);
    }
    settle();
  }

  private void addWorker(RunningJob running, String node) {
    var pod = Life.another(running, setup, instant()).runningOn(node, instant());
    running.workerMade(pod);
    pods.bind(running, pod);
    hold(running, pod.demand().requests().devices());
  }

  private void giveBack(RunningJob running, List<String> workers) {
    long gone = now + setup.costs().grace().toMillis();
    for (var uid : workers) {
      running.workerLeaves(uid, gone);
      pods.tellToLeave(running, running.pods.get(uid));
    }
    agenda.add(gone, Kind.SMALLER, running);
  }

  private void ungate(String uid) {
    pod(uid)
        .filter(pod -> asks && pod.isGated())
        .ifPresent(pod -> {
          pods.store(pods.owner(uid).orElseThrow(), Life.ungated(pod));
          scheduler.add(uid);
        });
  }

  private void schedule(String uid) {
    pod(uid)
        .filter(pod -> !pod.isBound() && !pod.isGated())
        .ifPresent(pod -> scheduler.schedule(pod, instant()).forEach(this::carryOut));
  }

  private Optional<Pod> pod(String uid) {
    return pods.owner(uid).map(running -> running.pods.get(uid));
  }

  /** Muster has it bound, or has released it to where it is tied to. */
  private void bind(String uid, String node) {
    var running = pods.owner(uid).orElseThrow();
    var unbound = running.pods.get(uid);
    if (unbound.isBound()) {
      return;
    }
    var pod = unbound.runningOn(node, instant());
    pods.bind(running, pod);
    long before = running.incompleteGpus();
    running.bound++;
    hold(running, pod.demand().requests().devices());
    gauge.holdIncomplete(running.incompleteGpus() - before);
    if (running.isWhole()) {
      start(running);
    }
  }

  private void start(RunningJob running) {
    gauge.waitsNoMore(running.job.gpus());
    if (running.firstStartAt.isEmpty()) {
      running.firstStartAt = OptionalLong.of(now);
    }
    segments.started(running);
    whenStarted.accept(JobStart.of(running, now));
    accuracy.ifPresent(estimates -> estimates.started(Life.gang(running.job), instant()));
    agenda.add(running.work(now, running.overhead(setup.costs())), Kind.END, running);
    sizes.runs(running);
    lastHappening = now;
    rounds.happened(now);
  }

  /** The first member that is told to end takes the others with it, as the protocol wants them. */
  private void evict(String uid) {
    var running = pods.owner(uid).orElseThrow();
    var pod = running.pods.get(uid);
    if (pod.progress().deleting()) {
      return;
    }
    pods.tellToLeave(running, pod);
    if (running.ending) {
      return;
    }
    running.ending = true;
    sizes.runsNoMore(running);
    account.preempted(running.cutShort(now, setup.costs()));
    agenda.add(now + setup.costs().grace().toMillis(), Kind.GONE, running);
  }

  private void tickLater() {
    if (tickAt.isEmpty() && gauge.anyWaits()) {
      tickAt = OptionalLong.of(now + tickGap);
      agenda.add(now + tickGap, Kind.TICK);
      tickGap = Math.min(2 * tickGap, setup.longestTick().toMillis());
    }
  }

  private Instant instant() {
    return Instant.EPOCH.plusMillis(now);
  }
}
