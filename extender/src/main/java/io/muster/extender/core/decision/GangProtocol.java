package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.plan.Room;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The flow of a gang, from its first member to its last binding, and on.
 *
 * <ol>
 *   <li>{@link WaitingLine}: gangs wait in one order; one that fits gets its {@link Reservations}
 *       whole.
 *   <li>{@link Filter} sends each member to its place.
 *   <li>{@link Barrier} holds their bind calls until enough have come, records, binds.
 *   <li>{@link Repair} completes or undoes what was cut off.
 *   <li>{@link Reporter} says why.
 * </ol>
 *
 * <p>Guaranteed: no member of a gang is bound unless minAvailable members hold a validated place.
 * Time comes in with each call; nothing here waits. Confined to one thread at a time: callers hold
 * one lock.
 */
public final class GangProtocol {

  private final World world;
  private final Reservations reservations;
  private final Filter filter;
  private final Singles singles;
  private final ShadowGangs shadow;
  private final Restatements restatements;
  private final ObservedGangs observed;
  private final Barrier barrier;
  private final WaitingLine line;
  private final PassingTime time;
  private final Reporter reporter;
  private final UsageReading usage;
  private final Outlook outlook;
  private final Sightings sightings;

  public GangProtocol(Deadlines deadlines, Rules rules) {
    world = new World(deadlines, rules);
    var plans = new GangPlans(world);
    var pins = new Pins(world);
    reservations = new Reservations(world, plans, pins);
    var explanations = new Explanations(world, plans);
    var replacements = new ReplacementPlaces(world, plans, reservations);
    var later = new LaterRoom(world, plans, reservations);
    var rejections = new Rejections(world, reservations);
    filter = new Filter(world, reservations);
    singles = new Singles(world, reservations);
    shadow = new ShadowGangs(world, reservations, explanations);
    observed = new ObservedGangs(world, explanations);
    restatements = new Restatements(world, reservations, shadow, observed);
    barrier = new Barrier(world, reservations, singles, shadow);
    var expiry = new Expiry(world, reservations, barrier);
    var repair = new Repair(world, plans, reservations, barrier);
    var departures = new Departures(world);
    var losses = new Losses(world, reservations, replacements, singles, departures);
    var unmarked = new UnmarkedMembers(world);
    sightings =
        new Sightings(
            world,
            new Sightings.Parts(reservations, later, rejections, departures, losses, barrier),
            shadow,
            observed);
    line = new WaitingLine(world, plans, reservations, barrier, losses, later);
    reporter = new Reporter(world);
    time =
        new PassingTime(
            world,
            new PassingTime.Parts(
                expiry, rejections, losses, later, unmarked, repair, line, explanations, reporter),
            new PassingTime.Common(shadow, observed, departures, sightings));
    usage = new UsageReading(world);
    outlook = new Outlook(world, reservations);
  }

  /** Takes an event in; the effects are to be carried out in order. */
  public List<Effect> on(Event event, Instant now) {
    attempt(event, now);
    return finish(now);
  }

  /** Takes in what happened at one moment, in order, and then looks at the line once. */
  public List<Effect> onAll(List<Event> events, Instant now) {
    events.forEach(event -> attempt(event, now));
    return finish(now);
  }

  /**
   * What was decided before a call ended with a fault of Muster's own; to be asked for once after
   * each.
   */
  public List<Effect> afterFault(Instant now) {
    return finish(now);
  }

  /** A fault in it ends the event, and nothing else. */
  private void attempt(Event event, Instant now) {
    var gang = gangOf(event);
    try {
      take(event, now);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      world.faults().note(event.getClass().getSimpleName(), gang.or(() -> gangOf(event)), e);
    }
  }

  private Optional<GangState> gangOf(Event event) {
    return switch (event) {
      case Event.PodSeen(Pod pod) -> world.knownGangOf(pod);
      case Event.PodGone(PodKey pod) -> world.pod(pod.uid()).flatMap(world::knownGangOf);
      case Event.RecordFound(GangRecord found, _) -> gang(found.gang());
      case Event.RecordWritten written -> gang(written.gang());
      case Event.BindingEnded ended -> gang(ended.gang());
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.RecordGone _,
          Event.TermsSeen _,
          Event.TermsGone _,
          Event.NamespaceSeen _,
          Event.NamespaceGone _,
          Event.BudgetSeen _,
          Event.BudgetGone _,
          Event.QueuesSet _,
          Event.Released _,
          Event.LeaseHeld _,
          Event.Ready _,
          Event.Tick _ ->
          Optional.empty();
    };
  }

  /** A fault in the answer ends the call; the gang of the pod is left alone. */
  private <T> T answering(Optional<GangState> gang, Supplier<T> answer) {
    try {
      return answer.get();
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      gang.ifPresent(asked -> world.faults().blame(asked, e));
      throw e;
    }
  }

  private void take(Event event, Instant now) {
    switch (event) {
      case Event.NodeSeen(Node node) -> {
        var before = world.inventory().room(node.name()).map(Room::node);
        if (before.filter(node::equals).isEmpty()) {
          world.inventory().seen(node);
          sightings.nodeChanged(node.name(), now);
        }
      }
      case Event.NodeGone(String name) -> {
        world.inventory().gone(name);
        sightings.nodeChanged(name, now);
      }
      case Event.TermsSeen(TermsObject object, Optional<Terms> terms) ->
          restatements.stated(object, terms, now).forEach(pod -> sightings.podSeen(pod, now));
      case Event.TermsGone(TermsObject object) ->
          restatements.withdrawn(object, now).forEach(pod -> sightings.podSeen(pod, now));
      case Event.NamespaceSeen(String name, Enrolment enrolment) ->
          shadow.enrolled(name, Optional.of(enrolment), now);
      case Event.NamespaceGone(String name) -> shadow.enrolled(name, Optional.empty(), now);
      case Event.BudgetSeen(Budget budget) -> world.budgetSeen(budget);
      case Event.BudgetGone(String namespace, String name) -> world.budgetGone(namespace, name);
      case Event.QueuesSet(Queues queues) -> queuesSet(queues);
      case Event.Released(boolean released) -> shadow.released(released, now);
      case Event.PodSeen(Pod pod) -> {
        world.confirm(pod.key().uid());
        sightings.podSeen(pod, now);
        if (world.takeAskedEarly(pod.key().uid()) && !pod.isBound() && !pod.isTerminal()) {
          world.wake(pod.key());
        }
      }
      case Event.PodGone(PodKey pod) -> {
        world.hearsay().settle(pod.uid());
        sightings.podGone(pod, now);
      }
      case Event.RecordFound(GangRecord found, Optional<Instant> since) -> {
        if (!shadow.takes(found, now)) {
          recordFound(found, since);
        }
      }
      case Event.RecordGone(GangId id) -> recordGone(id, now);
      case Event.LeaseHeld(Instant until, boolean followsAnother) ->
          world.leaseHeld(until, followsAnother);
      case Event.Ready _ -> beginLife(now);
      case Event.RecordWritten written ->
          gang(written.gang())
              .ifPresent(
                  gang -> barrier.recordWritten(gang, written.epoch(), written.stored(), now));
      case Event.BindingEnded ended -> {
        if (!singles.bindingEnded(ended)) {
          gang(ended.gang()).ifPresent(gang -> barrier.bindingEnded(gang, ended, now));
        }
      }
      case Event.Tick(boolean tells) -> time.advance(now, tells);
    }
  }

  /** Answers filter. The pod is the one in the call; repeating the call changes nothing. */
  public Decision filter(Pod pod, List<String> offered, Instant now) {
    if (world.isGone(pod.key().uid()) && !world.hearsay().isGivenUp(pod.key().uid())) {
      return new Decision(new Answer.Refuse(Filter.GONE), List.of());
    }
    world.noteAsking(pod.origin().schedulerName());
    world.asked(pod.key().uid(), now);
    if (world.pod(pod.key().uid()).isEmpty()) {
      if (mayBeOfAnotherLife(pod) || world.hearsay().isGivenUp(pod.key().uid())) {
        world.noteAskedEarly(pod.key().uid(), now);
        return new Decision(new Answer.Refuse(Filter.NOT_SEEN), finish(now));
      }
      world.hearsay().note(pod.key(), now);
      sightings.podSeen(pod, now);
    }
    var known = world.pod(pod.key().uid()).orElse(pod);
    if (shadow.covers(known)) {
      return new Decision(new Answer.Accept(offered, ""), finish(now));
    }
    plan(now);
    var answer = answering(world.knownGangOf(known), () -> filter.answer(known, offered, now));
    return new Decision(answer, finish(now));
  }

  /**
   * kube-scheduler may have seen the end of a started gang, and the first members of its next life,
   * before Muster has: whether a new one replaces a member or begins that life shows in what comes
   * before it.
   */
  private boolean mayBeOfAnotherLife(Pod pod) {
    return world.isAsked()
        && !shadow.covers(pod)
        && world.knownGangOf(pod).filter(gang -> gang.satisfied).isPresent();
  }

  /** Answers filter about a pod that was seen in the cluster; empty if it was not. */
  public Optional<Decision> filterKnown(PodKey pod, List<String> offered, Instant now) {
    return world.pod(pod.uid()).map(known -> filter(known, offered, now));
  }

  /** Ranks nodes for a pod that has no place of its own. */
  public Answer.Scores prioritize(Pod pod, List<String> offered) {
    return shadow.covers(pod) ? new Answer.Scores(Map.of()) : filter.scores(pod, offered);
  }

  /** Takes a bind call; its answer is among these effects or among those of a later event. */
  public List<Effect> bind(BindCall call, Instant now) {
    answering(
        world.pod(call.pod().uid()).flatMap(world::knownGangOf),
        () -> {
          barrier.bind(call, now);
          return call;
        });
    return finish(now);
  }

  /**
   * The nodes on which a preemption for this pod may go on: for a member of a gang none; for others
   * those where it leaves no gang below its minimum, if there are such nodes, else all.
   *
   * @param victims uids by node
   */
  public Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    if (shadow.covers(pod)) {
      return victims.keySet();
    }
    boolean isMember = world.objects().complete(pod).membership().isPresent();
    return isMember ? Set.of() : InTreeVictims.sparing(world, victims);
  }

  /** Gangs by phase, for metrics. */
  public Map<Phase, Long> gangsByPhase() {
    return world.gangs().all().stream()
        .filter(gang -> !gang.members.isEmpty())
        .collect(Collectors.groupingBy(gang -> gang.phase, Collectors.counting()));
  }

  /** What gangs wait for, keep and waste now, for metrics; nothing before {@link Event.Ready}. */
  public Usage usage(Instant now) {
    return world.isReady() ? usage.read(now) : Usage.NONE;
  }

  /** Who waits for what, and what would change it. */
  public Outlook outlook() {
    return outlook;
  }

  /** What has happened since the last such question, for metrics. */
  public Milestones takeMilestones() {
    return world.chronicle().take();
  }

  /** All that is known, for a look at it from outside. */
  World world() {
    return world;
  }

  /** Those that are bound one by one, for the same. */
  Singles singles() {
    return singles;
  }

  /** Whether it will be tried when its time has come or something has changed, for the same. */
  boolean isQueued(GangState gang) {
    return line.isQueued(gang);
  }

  /** An answer and what goes with it. */
  public record Decision(Answer answer, List<Effect> effects) {}

  private void queuesSet(Queues queues) {
    world.queues().configure(queues);
    line.beginAnew();
    for (var gang : world.gangs().all()) {
      gang.tried = Optional.empty();
      gang.entry.withheld = Optional.empty();
      gang.activate();
    }
    world.planAgain();
  }

  private Optional<GangState> gang(GangId id) {
    return world.gangs().find(id);
  }

  private List<Effect> finish(Instant now) {
    plan(now);
    world.faults().settle(reservations, world, now);
    return world.takeEffects();
  }

  private void plan(Instant now) {
    if (world.isReady() && world.takePlanningDue()) {
      world.faults().run("line", () -> line.advance(now));
      // What planning itself frees or takes is seen at the next event.
      world.takePlanningDue();
    }
  }

  private void recordFound(GangRecord found, Optional<Instant> since) {
    var gang = world.gang(found.gang());
    gang.goOn(found);
    if (found.phase() == Phase.FINISHED) {
      since.ifPresent(at -> gang.emptySince = at);
    }
    gang.enter(found.phase());
    gang.record.putAll(found.placement());
  }

  /** What is stored of a gang that lives is what the next life of Muster goes on from. */
  private void recordGone(GangId id, Instant now) {
    world.gangs().all().stream()
        .filter(gang -> gang.told.containsKey(id) && !gang.members.isEmpty())
        .findFirst()
        .ifPresent(gang -> {
          gang.told.remove(id);
          gang.activate();
          if (world.isReady()) {
            reporter.store(gang, now);
          }
        });
  }

  /** After everything stored has been told: takes up each gang where an earlier life left it. */
  private void beginLife(Instant now) {
    world.begin();
    dropCovered();
    for (var gang : List.copyOf(world.gangs().all())) {
      world.faults().run("take up", gang, () -> TakeUp.resume(world, gang, now));
    }
    world.faults().run("restore", () -> line.restore(now));
    world.planAgain();
  }

  /** The objects of a group's other gangs hold no state of their own. */
  private void dropCovered() {
    for (var gang : List.copyOf(world.gangs().all())) {
      if (!gang.members.isEmpty()) {
        gang.terms.gangs().stream()
            .filter(id -> !id.equals(gang.id))
            .filter(id -> gang(id).filter(other -> other.members.isEmpty()).isPresent())
            .forEach(world.gangs()::remove);
      }
    }
  }
}
