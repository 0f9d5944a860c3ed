package io.muster.extender.kube.write;

import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Event.CompanionsEnsured.Obstacle;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.write.ApiRequest.Urgency;
import io.muster.extender.kube.write.GangWrites.Stored;
import io.muster.extender.port.Delays;
import io.muster.extender.port.EffectRunner;
import io.muster.extender.port.EventSink;
import io.muster.extender.port.LeaderLease;
import io.muster.extender.port.WriteMeter;
import io.muster.extender.port.WriteMeter.Kind;
import io.muster.extender.port.WriteMeter.Outcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries effects out as writes to the apiserver.
 *
 * <ol>
 *   <li>Writes to one Gang object keep their order, and so do writes to one pod; everything else
 *       goes out side by side, as many at once as the settings allow.
 *   <li>A record is tried until its time is up and then reported as not stored. A report is tried
 *       until it is stored or a newer one, a record or the end of the gang has taken its place.
 *   <li>Nothing is written that may reach the apiserver after the lease has ended: the next leader
 *       may have decided otherwise by then.
 *   <li>Every Bind, WriteRecord and EnsureCompanions is answered exactly once, whatever happens.
 * </ol>
 *
 * Safe for concurrent use.
 */
public final class ClusterWrites implements EffectRunner {

  private static final String AHEAD = "a later incarnation or epoch of the gang is stored";
  private static final Logger LOG = LoggerFactory.getLogger(ClusterWrites.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final int OUTDATED_TRIES = 5;

  private final Settings settings;
  private final Surroundings surroundings;
  private final GangWrites gangs;
  private final DomainWrites domains;
  private final GroupWrites groups;
  private final BindingWrites bindings;
  private final PodWrites pods;
  private final PodEndings endings;
  private final EventWrites events;
  private final WriteFailures failures;
  private final Lanes<GangId> gangLanes;
  private final Lanes<String> podLanes;
  private final Map<GangId, Effect.WriteReport> newestReports = new ConcurrentHashMap<>();

  /**
   * How to write.
   *
   * @param component names Muster in Events
   * @param requestTimeout of one request
   * @param recordTimeout of a record with all its tries
   * @param requestsInFlight at once, at most; fewer than the streams of one HTTP/2 connection
   */
  public record Settings(
      String component, Duration requestTimeout, Duration recordTimeout, int requestsInFlight) {

    /** What the deadlines of the architecture allow. */
    public static final Settings DEFAULT =
        new Settings("muster", Duration.ofSeconds(3), Duration.ofSeconds(10), 64);
  }

  /**
   * What the writes need of the process.
   *
   * @param executor runs work that blocks, a virtual thread each
   * @param clock measures how long things last, and the lease
   * @param dates the time of day, for what is written
   */
  public record Surroundings(
      Executor executor,
      Delays delays,
      InstantSource clock,
      InstantSource dates,
      WriteMeter meter,
      LeaderLease tenure) {}

  public ClusterWrites(
      Client client, GangDirectory directory, Settings settings, Surroundings surroundings) {
    this.settings = settings;
    this.surroundings = surroundings;
    var api =
        new ApiServer(
            client,
            surroundings.delays(),
            this::isOursFor,
            settings.requestTimeout(),
            settings.requestsInFlight());
    var serialization = new KubernetesSerialization();
    this.gangs = new GangWrites(api, directory, serialization, surroundings.dates());
    this.domains = new DomainWrites(api, directory, gangs);
    this.groups = new GroupWrites(api, directory, gangs);
    this.bindings = new BindingWrites(api);
    this.pods = new PodWrites(api, surroundings.dates());
    this.endings = new PodEndings(api, pods);
    this.events = new EventWrites(api, directory, surroundings.dates(), settings.component());
    this.failures = new WriteFailures(LOG, surroundings.clock());
    this.gangLanes = new Lanes<>(surroundings.executor());
    this.podLanes = new Lanes<>(surroundings.executor());
  }

  @Override
  public void run(List<Effect> effects, EventSink answers) {
    effects.forEach(effect -> begin(effect, answers));
  }

  private void begin(Effect effect, EventSink answers) {
    switch (effect) {
      case Effect.AnswerBind _ -> LOG.atError().log("an answer to a call is not a write");
      case Effect.Fault _ -> LOG.atError().log("a fault is not a write");
      case Effect.WriteRecord record -> {
        newestReports.remove(record.gang().gang());
        gangLanes.submit(record.gang().gang(), () -> writeRecord(record, answers));
      }
      case Effect.WriteReport report -> beginReport(report, answers);
      case Effect.EnsureCompanions ensure ->
          gangLanes.submit(ensure.gang().gang(), () -> ensureCompanions(ensure, answers));
      case Effect.DropCompanions drop -> gangLanes.submit(drop.gang(), () -> drop(drop));
      case Effect.Forget forget -> {
        newestReports.remove(forget.gang());
        gangLanes.submit(
            forget.gang(),
            () -> note(Kind.FORGET, forget.gang(), () -> gangs.forget(forget.gang())));
      }
      case Effect.Announce announcement ->
          gangLanes.submit(
              announcement.gang(),
              () -> note(Kind.ANNOUNCE, announcement.gang(), () -> events.announce(announcement)));
      case Effect.Bind bind -> onPod(bind.pod(), () -> bind(bind, answers));
      case Effect.Ungate ungate ->
          onPod(ungate.pod(), () -> note(Kind.UNGATE, ungate.pod(), () -> pods.ungate(ungate)));
      case Effect.Release release ->
          onPod(release.pod(), () -> note(Kind.UNGATE, release.pod(), () -> release(release)));
      case Effect.Wake wake ->
          onPod(wake.pod(), () -> note(Kind.WAKE, wake.pod(), () -> pods.wake(wake)));
      case Effect.Explain explain -> onPod(explain.pod(), () -> explain(explain));
      case Effect.Show show ->
          onPod(
              show.pod(),
              () ->
                  note(
                      Kind.EXPLAIN,
                      show.pod(),
                      () -> pods.markUnschedulable(show.pod(), show.sentence())));
      case Effect.Warn warning ->
          onPod(warning.pod(), () -> note(Kind.EXPLAIN, warning.pod(), () -> events.warn(warning)));
      case Effect.Evict evict ->
          onPod(evict.pod(), () -> note(Kind.EVICT, evict.pod(), () -> evict(evict)));
      case Effect.Remake remake ->
          onPod(remake.pod(), () -> note(Kind.REMAKE, remake.pod(), () -> endings.remake(remake)));
    }
  }

  private void drop(Effect.DropCompanions drop) {
    if (drop.nvlink()) {
      note(Kind.DOMAIN, drop.gang(), () -> domains.drop(drop.gang()));
    }
    if (drop.group()) {
      note(Kind.DOMAIN, drop.gang(), () -> groups.drop(drop.gang()));
    }
  }

  private void ensureCompanions(Effect.EnsureCompanions ensure, EventSink answers) {
    var gang = ensure.gang();
    Optional<Obstacle> obstacle;
    try {
      obstacle = ensure.nvlink() ? domains.ensure(gang) : Optional.empty();
      if (obstacle.isEmpty() && ensure.group().isPresent()) {
        obstacle = groups.ensure(gang, ensure.group().get());
      }
    } catch (RuntimeException e) {
      obstacle =
          Optional.of(
              new Obstacle(
                  "its NVLink domain or PodGroup could not be made: a fault of Muster: " + e,
                  "report it with the lines of muster's log"));
    }
    obstacle.ifPresentOrElse(
        problem -> warn(Kind.DOMAIN, gang.gang(), problem.message()),
        () -> count(Kind.DOMAIN, Outcome.DONE));
    answers.accept(new Event.CompanionsEnsured(gang.gang(), gang.incarnation(), obstacle));
  }

  private ApiReply release(Effect.Release release) {
    return mayStillBind()
        ? pods.release(release)
        : ApiReply.unreachable("the leader lease is running out");
  }

  /** For whom it ends is told to those who run Muster, and not to its user. */
  private ApiReply evict(Effect.Evict evict) {
    evict
        .makesRoomFor()
        .ifPresent(other ->
            LOG.atInfo()
                .addKeyValue("pod", evict.pod())
                .addKeyValue("gang", other)
                .log("a pod is preempted for a gang"));
    return endings.evict(evict);
  }

  private void onPod(PodKey pod, Runnable work) {
    podLanes.submit(pod.uid(), work);
  }

  private void explain(Effect.Explain explain) {
    var pod = explain.pod();
    if (explain.asCondition()) {
      note(Kind.EXPLAIN, pod, () -> pods.markUnschedulable(pod, explain.sentence()));
    }
    note(Kind.EXPLAIN, pod, () -> events.explain(pod, explain.sentence()));
  }

  private void bind(Effect.Bind bind, EventSink answers) {
    BindingOutcome outcome;
    try {
      outcome =
          mayStillBind()
              ? bindings.bind(bind)
              : new BindingOutcome.Unanswered("the leader lease is running out");
    } catch (RuntimeException e) {
      outcome = new BindingOutcome.Refused("a fault of Muster: " + e);
    }
    switch (outcome) {
      case BindingOutcome.Bound _ -> count(Kind.BIND, Outcome.DONE);
      case BindingOutcome.Lost lost -> {
        count(Kind.BIND, Outcome.NEEDLESS);
        LOG.atInfo()
            .addKeyValue("gang", bind.gang())
            .addKeyValue("pod", bind.pod())
            .addKeyValue("node", bind.node())
            .addKeyValue("message", lost.message())
            .log("a pod was lost before its binding");
      }
      case BindingOutcome.Refused refused -> warn(Kind.BIND, bind.pod(), refused.message());
      case BindingOutcome.Unanswered unanswered ->
          warn(Kind.BIND, bind.pod(), unanswered.message());
    }
    answers.accept(new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), outcome));
  }

  /**
   * Whether a Binding or release that is sent now ends before the lease does, its second try
   * included.
   */
  private boolean mayStillBind() {
    return isOursFor(settings.requestTimeout().multipliedBy(2));
  }

  /** Whether the lease is ours for so long from now on. */
  private boolean isOursFor(Duration time) {
    var end = surroundings.clock().instant().plus(time);
    return !end.isAfter(surroundings.tenure().heldUntil());
  }

  private void writeRecord(Effect.WriteRecord effect, EventSink answers) {
    var stored = false;
    try {
      stored = storeInTime(effect, answers);
    } catch (RuntimeException e) {
      warn(Kind.RECORD, effect.gang().gang(), "a fault of Muster: " + e);
    }
    var gang = effect.gang();
    answers.accept(new Event.RecordWritten(gang.gang(), gang.epoch(), stored));
  }

  private boolean storeInTime(Effect.WriteRecord effect, EventSink answers) {
    var id = effect.gang().gang();
    var end = surroundings.clock().instant().plus(settings.recordTimeout());
    var pause = FIRST_PAUSE;
    while (true) {
      var message = "";
      switch (storeNow(effect.gang(), effect.report(), Urgency.URGENT)) {
        case Stored.Done _, Stored.Already _ -> {
          count(Kind.RECORD, Outcome.DONE);
          return true;
        }
        case Stored.Ahead ahead -> {
          warn(Kind.RECORD, id, AHEAD);
          answers.accept(new Event.RecordAhead(id, ahead.incarnation(), ahead.epoch()));
          return false;
        }
        case Stored.Refused refused -> {
          warn(Kind.RECORD, id, refused.message());
          return false;
        }
        case Stored.Outdated _ -> message = "the object keeps changing";
        case Stored.Unreachable unreachable -> message = unreachable.message();
      }
      if (!surroundings.clock().instant().plus(pause).isBefore(end)) {
        warn(Kind.RECORD, id, message);
        return false;
      }
      surroundings.delays().pause(pause);
      pause = pause.multipliedBy(2);
    }
  }

  private void beginReport(Effect.WriteReport report, EventSink answers) {
    var gang = report.gang().gang();
    // One that still waits takes the newer text along.
    if (newestReports.put(gang, report) == null) {
      gangLanes.submit(gang, () -> writeReport(gang, FIRST_PAUSE, answers));
    }
  }

  private void writeReport(GangId gang, Duration pause, EventSink answers) {
    var report = newestReports.get(gang);
    if (report == null) {
      return;
    }
    Stored stored;
    try {
      stored = storeNow(report.gang(), report.report(), Urgency.LEISURELY);
    } catch (RuntimeException e) {
      stored = new Stored.Refused("a fault of Muster: " + e);
    }
    var superseded = !(stored instanceof Stored.Unreachable) && !newestReports.remove(gang, report);
    switch (stored) {
      case Stored.Done _ -> count(Kind.REPORT, Outcome.DONE);
      case Stored.Already _ -> count(Kind.REPORT, Outcome.NEEDLESS);
      case Stored.Ahead ahead -> {
        warn(Kind.REPORT, gang, AHEAD);
        answers.accept(new Event.RecordAhead(gang, ahead.incarnation(), ahead.epoch()));
      }
      case Stored.Refused refused -> warn(Kind.REPORT, gang, refused.message());
      case Stored.Outdated _ -> warn(Kind.REPORT, gang, "the object keeps changing");
      case Stored.Unreachable unreachable -> {
        if (pause.equals(FIRST_PAUSE)) {
          warn(Kind.REPORT, gang, unreachable.message());
        }
        surroundings
            .delays()
            .after(
                pause,
                () -> gangLanes.submit(gang, () -> writeReport(gang, longer(pause), answers)));
      }
    }
    if (superseded && newestReports.containsKey(gang)) {
      gangLanes.submit(gang, () -> writeReport(gang, FIRST_PAUSE, answers));
    }
  }

  /** A write of ours that was given up may have worked: what was just read says so at once. */
  private Stored storeNow(GangRecord gang, GangReport report, Urgency urgency) {
    Stored stored = new Stored.Outdated();
    for (int tried = 0; tried < OUTDATED_TRIES && stored instanceof Stored.Outdated; tried++) {
      stored = gangs.store(gang, report, urgency);
    }
    return stored;
  }

  private static Duration longer(Duration pause) {
    var twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private void note(Kind kind, Object subject, Supplier<ApiReply> write) {
    try {
      var reply = write.get();
      if (reply.isDone()) {
        count(kind, Outcome.DONE);
      } else if (reply.saysGone() || reply.saysNamespaceEnds()) {
        count(kind, Outcome.NEEDLESS);
      } else {
        warn(kind, subject, reply.message());
      }
    } catch (RuntimeException e) {
      warn(kind, subject, "a fault of Muster: " + e);
    }
  }

  private void warn(Kind kind, Object subject, String message) {
    count(kind, Outcome.FAILED);
    failures.add(kind, subject, message);
  }

  private void count(Kind kind, Outcome outcome) {
    surroundings.meter().wrote(kind, outcome);
  }
}
