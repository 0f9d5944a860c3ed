package io.muster.extender.kube.write;

import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Event.CompanionsEnsured.Obstacle;
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
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries effects out as writes to the apiserver.
 *
 * <ol>
 *   <li>Writes to one Gang object keep their order, and so do writes to one pod and the Events of
 *       either; everything else goes out side by side, as many at once as the settings allow.
 *   <li>A record is tried until its time is up and then reported as not stored. A report is tried
 *       until it is stored or a newer one, a record or the end of the gang has taken its place.
 *   <li>Nothing is written that may reach the apiserver after the lease has ended: the next leader
 *       may have decided otherwise by then.
 *   <li>Every Bind, WriteRecord and EnsureCompanions is answered exactly once, whatever happens.
 *   <li>A Gang object or NVLink domain that is to go is tried until it has gone or is wanted again.
 * </ol>
 *
 * Safe for concurrent use.
 */
public final class ClusterWrites implements EffectRunner {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterWrites.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

  private final Settings settings;
  private final Surroundings surroundings;
  private final GangWrites gangs;
  private final DomainWrites domains;
  private final GroupWrites groups;
  private final BindingWrites bindings;
  private final PodWrites pods;
  private final PodEndings endings;
  private final EventWrites events;
  private final ReportWrites reports;
  private final PodRefusals refusals;
  private final WriteOutcomes outcomes;
  private final Lanes<GangId> gangLanes;
  private final Lanes<String> podLanes;
  private final Deletions domainDeletions;
  private final Deletions gangDeletions;

  /** By gang, or by uid of a pod: nothing waits for an Event. */
  private final Lanes<Object> eventLanes;

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
    this.refusals = new PodRefusals(surroundings.clock());
    this.gangLanes = new Lanes<>(surroundings.executor());
    this.podLanes = new Lanes<>(surroundings.executor());
    this.eventLanes = new Lanes<>(surroundings.executor());
    this.outcomes =
        new WriteOutcomes(surroundings.meter(), new WriteFailures(LOG, surroundings.clock()));
    this.domainDeletions =
        new Deletions(
            gang -> outcomes.note(Kind.DOMAIN, gang, () -> domains.drop(gang)),
            gangLanes,
            surroundings.delays());
    this.gangDeletions =
        new Deletions(
            gang -> outcomes.note(Kind.FORGET, gang, () -> gangs.forget(gang)),
            gangLanes,
            surroundings.delays());
    this.reports = new ReportWrites(gangs, gangLanes, surroundings.delays(), outcomes);
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
        reports.drop(record.gang().gang());
        gangDeletions.end(record.gang().gang());
        gangLanes.submit(record.gang().gang(), () -> writeRecord(record, answers));
      }
      case Effect.WriteReport report -> {
        gangDeletions.end(report.gang().gang());
        reports.begin(report, answers);
      }
      case Effect.EnsureCompanions ensure -> {
        domainDeletions.end(ensure.gang().gang());
        gangDeletions.end(ensure.gang().gang());
        gangLanes.submit(ensure.gang().gang(), () -> ensureCompanions(ensure, answers));
      }
      case Effect.DropCompanions drop -> drop(drop);
      case Effect.Forget forget -> {
        reports.drop(forget.gang());
        gangDeletions.begin(forget.gang());
      }
      case Effect.Announce announcement ->
          // What was written before it may have made the Gang object.
          gangLanes.submit(announcement.gang(), () -> announce(announcement));
      case Effect.Bind bind -> onPod(bind.pod(), () -> bind(bind, answers));
      case Effect.Ungate ungate ->
          onPod(
              ungate.pod(),
              () ->
                  outcomes.note(
                      Kind.UNGATE,
                      ungate.pod(),
                      () -> gateTold(ungate.pod(), pods.ungate(ungate))));
      case Effect.Release release ->
          onPod(
              release.pod(),
              () ->
                  outcomes.note(
                      Kind.UNGATE, release.pod(), () -> gateTold(release.pod(), release(release))));
      case Effect.Wake wake ->
          onPod(wake.pod(), () -> outcomes.note(Kind.WAKE, wake.pod(), () -> pods.wake(wake)));
      case Effect.Explain explain -> explain(explain);
      case Effect.Show show ->
          onPod(show.pod(), () -> outcomes.note(Kind.EXPLAIN, show.pod(), () -> pods.show(show)));
      case Effect.Warn warning -> warn(warning);
      case Effect.Evict evict ->
          onPod(evict.pod(), () -> outcomes.note(Kind.EVICT, evict.pod(), () -> evict(evict)));
      case Effect.Remake remake ->
          onPod(
              remake.pod(),
              () -> outcomes.note(Kind.REMAKE, remake.pod(), () -> endings.remake(remake)));
    }
  }

  private void warn(Effect.Warn warning) {
    eventLanes.submit(
        warning.pod().uid(),
        () -> outcomes.note(Kind.EXPLAIN, warning.pod(), () -> events.warn(warning)));
  }

  private ApiReply gateTold(PodKey pod, ApiReply reply) {
    refusals.ofGate(pod, reply).ifPresent(this::warn);
    return reply;
  }

  private void drop(Effect.DropCompanions drop) {
    var gang = drop.gang();
    if (drop.nvlink()) {
      domainDeletions.begin(gang);
    }
    if (drop.group()) {
      gangLanes.submit(gang, () -> outcomes.note(Kind.DOMAIN, gang, () -> groups.drop(gang)));
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
        problem -> outcomes.failed(Kind.DOMAIN, gang.gang(), problem.message()),
        () -> outcomes.count(Kind.DOMAIN, Outcome.DONE));
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
      onPod(
          pod,
          () ->
              outcomes.note(
                  Kind.EXPLAIN,
                  pod,
                  () -> pods.show(new Effect.Show(pod, explain.sentence(), true))));
    }
    eventLanes.submit(
        pod.uid(),
        () -> outcomes.note(Kind.EXPLAIN, pod, () -> events.explain(pod, explain.sentence())));
  }

  private void announce(Effect.Announce announcement) {
    var gang = announcement.gang();
    eventLanes.submit(
        gang, () -> outcomes.note(Kind.ANNOUNCE, gang, () -> events.announce(announcement)));
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
      case BindingOutcome.Bound _ -> outcomes.count(Kind.BIND, Outcome.DONE);
      case BindingOutcome.Lost lost -> {
        outcomes.count(Kind.BIND, Outcome.NEEDLESS);
        LOG.atInfo()
            .addKeyValue("gang", bind.gang())
            .addKeyValue("pod", bind.pod())
            .addKeyValue("node", bind.node())
            .addKeyValue("message", lost.message())
            .log("a pod was lost before its binding");
      }
      case BindingOutcome.Refused refused -> {
        outcomes.failed(Kind.BIND, bind.pod(), refused.message());
        refusals.ofBinding(bind.pod(), bind.node(), refused.message()).ifPresent(this::warn);
      }
      case BindingOutcome.Unanswered unanswered ->
          outcomes.failed(Kind.BIND, bind.pod(), unanswered.message());
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
      outcomes.failed(Kind.RECORD, effect.gang().gang(), "a fault of Muster: " + e);
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
      switch (gangs.store(effect.gang(), effect.report(), Urgency.URGENT)) {
        case Stored.Done _, Stored.Already _ -> {
          outcomes.count(Kind.RECORD, Outcome.DONE);
          return true;
        }
        case Stored.Ahead ahead -> {
          outcomes.failed(Kind.RECORD, id, ahead.message());
          answers.accept(new Event.RecordAhead(id, ahead.incarnation(), ahead.epoch()));
          return false;
        }
        case Stored.Refused refused -> {
          outcomes.failed(Kind.RECORD, id, refused.message());
          return false;
        }
        case Stored.Outdated _ -> message = "the object keeps changing";
        case Stored.Unreachable unreachable -> message = unreachable.message();
      }
      if (!surroundings.clock().instant().plus(pause).isBefore(end)) {
        outcomes.failed(Kind.RECORD, id, message);
        return false;
      }
      surroundings.delays().pause(pause);
      pause = pause.multipliedBy(2);
    }
  }
}
