package io.muster.extender.app;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.decision.forecast.PlacementQueries;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.port.EffectRunner;
import io.muster.extender.port.EventSink;
import io.muster.extender.port.FaultMeter;
import io.muster.extender.port.FaultMeter.Doing;
import io.muster.extender.port.LeaderLease;
import io.muster.extender.port.Reply;
import io.muster.extender.port.SchedulerExtender;
import io.muster.extender.port.UsageMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the one lock around the decisions. Events queue and are taken in one after another; calls
 * of kube-scheduler step in between and are answered from memory. Effects leave in the order in
 * which they were decided; none is waited for. A fault of the decisions is logged, counted and
 * answered as an error; what was decided before it leaves all the same. Safe for concurrent use.
 */
public final class ExtenderService implements SchedulerExtender, EventSink {

  /** Answer to calls that come before the cluster has been read. */
  static final String STARTING =
      "muster is starting; it answers as soon as it has read the cluster";

  private static final Logger LOG = LoggerFactory.getLogger(ExtenderService.class);
  private static final String FAULT = "muster met a fault of its own; its log says which";
  private static final Duration MARGIN = Duration.ofSeconds(4);

  /** In which those that wait for the lock get it. */
  private static final Duration TURN = Duration.ofMillis(1);

  private final GangScheduler protocol;
  private final EffectRunner effects;
  private final InstantSource clock;
  private final ProcessNews news;
  private final FaultLog faults;
  private final UsageMeter meter;
  private final UsageReading usage;
  private final DelayedBindCalls held;
  private final ReentrantLock lock = new ReentrantLock();
  private final EventQueue queue = new EventQueue();
  private volatile boolean ready;

  /**
   * What the desk needs of the process.
   *
   * @param clock by which decisions go; nobody sets it
   * @param wall the time of day
   * @param answers runs the completion of held calls
   */
  public record Surroundings(
      InstantSource clock,
      InstantSource wall,
      Executor answers,
      FaultMeter faults,
      UsageMeter meter,
      LeaderLease tenure) {}

  public ExtenderService(
      GangScheduler protocol,
      Deadlines deadlines,
      EffectRunner effects,
      Surroundings surroundings) {
    this.protocol = protocol;
    this.effects = effects;
    this.clock = surroundings.clock();
    this.news = new ProcessNews(surroundings.tenure(), clock, surroundings.wall());
    this.faults = new FaultLog(surroundings.faults(), clock);
    this.meter = surroundings.meter();
    this.usage = new UsageReading(meter);
    this.held =
        new DelayedBindCalls(
            deadlines.hold().plus(deadlines.burst()).plus(MARGIN),
            surroundings.answers(),
            clock,
            meter);
  }

  @Override
  public void accept(Event event) {
    queue.add(event);
  }

  /** Takes events in until the thread is interrupted. To be run by exactly one thread. */
  public void takeEvents() {
    try {
      while (true) {
        take(queue.take());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes in what is queued now; for callers that bring their own thread, such as tests. */
  void takeQueuedEvents() {
    for (int left = queue.size(); left > 0; left--) {
      queue.poll().ifPresent(this::take);
    }
  }

  /**
   * Notes that time has passed; to be called every half second. Ends calls that are overdue even
   * while the decisions are busy.
   */
  public void tick() {
    var late = held.expire();
    if (late > 0) {
      LOG.atError().addKeyValue("calls", late).log("bind calls outlived every deadline");
    }
    queue.addTick();
  }

  /** Whether the cluster has been read and calls are answered. */
  public boolean isReady() {
    return ready;
  }

  /** Whether the last {@value FaultLog#IN_A_ROW} events and calls have all met a fault. */
  public boolean isFailing() {
    return faults.isFailing();
  }

  /** Counts a fault of something else than an event or a call, and logs it. */
  void report(Doing doing, Object subject, Throwable fault) {
    faults.report(doing, subject, fault);
  }

  /** Answers every call that is still held with that error; for a desk that is being closed. */
  public void endHeldCalls(String error) {
    held.end(error);
  }

  /** Bind calls that wait for their answer. */
  public int heldCalls() {
    return held.count();
  }

  /** Events that Muster has not processed yet. */
  public int queuedEvents() {
    return queue.size();
  }

  /** What gangs wait for, keep and waste, as of the last tick. */
  public Usage usage() {
    return usage.last();
  }

  /** Gangs with members in that phase. */
  public int gangsIn(Phase phase) {
    return locked(() -> protocol.gangsByPhase().getOrDefault(phase, 0L).intValue());
  }

  /** What has been counted in namespaces in shadow since the last such question, by namespace. */
  public Map<String, ShadowCounts> takeShadowCounts() {
    return locked(() -> protocol.takeShadowCounts(clock.instant()));
  }

  private <T> T locked(Supplier<T> question) {
    lock.lock();
    try {
      return question.get();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Reply<Answer> filter(Pod pod, List<String> offered) {
    return ask(
        Doing.FILTER, pod.key(), () -> answer(protocol.filter(pod, offered, clock.instant())));
  }

  @Override
  public Optional<Reply<Answer>> filterKnown(PodKey pod, List<String> offered) {
    var reply =
        ask(
            Doing.FILTER,
            pod,
            () -> protocol.filterKnown(pod, offered, clock.instant()).map(this::answer));
    return switch (reply) {
      case Reply.Answered<Optional<Answer>>(var answer) -> answer.map(Reply.Answered::new);
      case Reply.Unavailable<Optional<Answer>>(var error) ->
          Optional.of(new Reply.Unavailable<>(error));
    };
  }

  private Answer answer(GangScheduler.Decision decision) {
    begin(decision.effects());
    return decision.answer();
  }

  @Override
  public Reply<Answer.Scores> prioritize(Pod pod, List<String> offered) {
    return ask(Doing.PRIORITIZE, pod.key(), () -> protocol.prioritize(pod, offered));
  }

  @Override
  public CompletableFuture<Optional<String>> bind(PodKey pod, String node) {
    var answer = new CompletableFuture<Optional<String>>();
    var id = held.take(pod.uid(), answer);
    var begun =
        ask(
            Doing.BIND,
            pod,
            () -> {
              var decided = protocol.bind(new BindCall(id, pod, node), clock.instant());
              begin(decided);
              if (decided.stream().noneMatch(binds(pod))) {
                held.waits(id);
              }
              return id;
            });
    if (begun instanceof Reply.Unavailable<Long>(var error)) {
      held.answer(id, Optional.of(error));
    }
    return answer;
  }

  private static Predicate<Effect> binds(PodKey pod) {
    return effect -> effect instanceof Effect.Bind bind && bind.pod().equals(pod);
  }

  @Override
  public Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    var reply = ask(Doing.PREEMPT, pod.key(), () -> protocol.preemptable(pod, victims));
    return switch (reply) {
      case Reply.Answered<Set<String>>(var nodes) -> nodes;
      // Evictions cannot be taken back.
      case Reply.Unavailable<Set<String>> _ -> Set.of();
    };
  }

  /** An answer about those who wait and about room, from memory; empty while in doubt. */
  public <T> Optional<T> placementQueries(BiFunction<PlacementQueries, Instant, T> question) {
    return ready
        ? reading(now -> Optional.of(question.apply(protocol.placementQueries(), now)))
        : Optional.empty();
  }

  /** What the decisions go by now; empty where no gang waits with enough members. */
  public Optional<ClusterCopy> copy() {
    return ready ? reading(protocol::copy) : Optional.empty();
  }

  /** Empty where that meets a fault. */
  private <T> Optional<T> reading(Function<Instant, Optional<T>> question) {
    lock.lock();
    try {
      return question.apply(clock.instant());
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      faults.note(Doing.OUTLOOK, "outlook", e);
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private <T> Reply<T> ask(Doing doing, PodKey pod, Supplier<T> question) {
    if (!ready) {
      return new Reply.Unavailable<>(STARTING);
    }
    lock.lock();
    try {
      faults.begin();
      tellNews();
      return new Reply.Answered<>(question.get());
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      faults.note(doing, pod, e);
      letGo();
      return new Reply.Unavailable<>(FAULT);
    } finally {
      goOnLater();
      faults.end();
      lock.unlock();
    }
  }

  private void take(Event event) {
    if (event instanceof Event.Idle) {
      letCallsGoFirst();
    }
    lock.lock();
    try {
      faults.begin();
      tellNews();
      begin(protocol.on(event, clock.instant()));
      if (event instanceof Event.Tick) {
        meter.reached(protocol.takeMilestones());
        usage.read(protocol.usage(clock.instant()), clock.instant());
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      faults.note(Doing.EVENT, event, e);
      letGo();
    } finally {
      goOnLater();
      faults.end();
      lock.unlock();
    }
    if (event instanceof Event.Ready) {
      ready = true;
      LOG.atInfo().log("the cluster has been read; calls are answered from now on");
    }
  }

  /** The thread that has just let the lock go would have it again before those that wait for it. */
  private void letCallsGoFirst() {
    if (lock.hasQueuedThreads()) {
      LockSupport.parkNanos(TURN.toNanos());
    }
  }

  /** A search that was left so that calls are answered goes on after what is queued now. */
  private void goOnLater() {
    if (protocol.isSearching()) {
      queue.addIdle();
    }
  }

  /** What was decided before a fault is not to wait for the next event. */
  private void letGo() {
    try {
      begin(protocol.afterFault(clock.instant()));
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      faults.note(Doing.EVENT, "what was left", e);
    }
  }

  private void tellNews() {
    news.since().forEach(event -> begin(protocol.on(event, clock.instant())));
  }

  /** Hands effects over; under the lock, so that they leave in the order decided. */
  private void begin(List<Effect> decided) {
    var writes = new ArrayList<Effect>(decided.size());
    for (var effect : decided) {
      switch (effect) {
        case Effect.AnswerBind(var call, var error) -> held.answer(call, error);
        case Effect.Fault(var step, var gang, var cause) ->
            faults.note(
                gang.isPresent() ? Doing.GANG : Doing.EVENT,
                gang.map(id -> step + " of gang " + id).orElse(step),
                cause);
        case Effect.Bind bind -> {
          held.opened(bind.pod().uid());
          writes.add(bind);
        }
        default -> writes.add(effect);
      }
    }
    if (!writes.isEmpty()) {
      effects.run(writes, this);
    }
  }
}
