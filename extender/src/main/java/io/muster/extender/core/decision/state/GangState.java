package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.BindingRecord;
import io.muster.extender.core.decision.burst.Burst;
import io.muster.extender.core.decision.burst.Companions;
import io.muster.extender.core.decision.burst.GateRemovals;
import io.muster.extender.core.decision.burst.HeldCalls;
import io.muster.extender.core.decision.burst.Reservation;
import io.muster.extender.core.decision.member.Bypasses;
import io.muster.extender.core.decision.member.EndingMembers;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.decision.member.Newcomers;
import io.muster.extender.core.decision.terms.GroupTerms;
import io.muster.extender.core.decision.terms.Ranks;
import io.muster.extender.core.decision.terms.RunTimes;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One gang while Muster lives, or a group of gangs that start as one: its members, its reservation,
 * the bind calls it holds, its burst. A group goes by the name of the gang that sorts first, whose
 * object has its record. Holds data; the steps of the flow change it. On the decision thread alone.
 */
public final class GangState {

  public static final Comparator<GangState> OLDEST_FIRST =
      Comparator.comparing((GangState gang) -> gang.arrivals.bornAt())
          .thenComparing(gang -> gang.id);

  public final GangId id;

  /** By what it is known how long such gangs run. */
  public final String kin;

  private long incarnation = 1;
  private Phase phase = Phase.WAITING;
  private boolean satisfied;
  private boolean waitsAgain;
  private boolean awaitsFirstMember;

  /** Members that have started and do not count for the start that it waits for again. */
  public final Set<String> discounted = new HashSet<>();

  /** What this life of Muster found of it. */
  public final Recovery recovery = new Recovery();

  /** When its members came. */
  public final Arrivals arrivals = new Arrivals();

  /** What the queue knows of it. */
  public final QueueEntry entry;

  /** What its gangs have stated in this incarnation, and need to start. */
  public final GroupTerms terms;

  /** Which ranks its members have. */
  public final Ranks ranks;

  /** Who of its members counts for that. */
  public final MemberCounts counts = new MemberCounts(this);

  /** Who of them comes later. */
  public final DeferredPods deferred = new DeferredPods(this);

  private long version;
  private int priority = Integer.MIN_VALUE;
  public final LastTry lastTry = new LastTry();
  public final Reservation reservation = new Reservation();
  public final GateRemovals gateRemovals = new GateRemovals();
  public final Companions companions = new Companions();

  /** Members that filter refused and that nothing but Muster will wake. */
  public final Set<String> refused = new HashSet<>();

  public final HeldCalls heldCalls = new HeldCalls();
  public final BindingRecord record = new BindingRecord();
  public final Burst burst = new Burst();
  public final Losses losses = new Losses();
  public final EndingMembers ending = new EndingMembers();

  /** Whether it has run for its run-time limit. */
  public final ReachedLimit limit = new ReachedLimit();

  public final Bypasses bypasses = new Bypasses();
  public final Members members = new Members(ending, bypasses, burst, this::incarnation);
  public final Newcomers newcomers = new Newcomers(members, deferred::includes);

  /** Whether it is left alone after a fault of Muster's own. */
  public final Quarantine quarantine = new Quarantine();

  public final Setbacks setbacks = new Setbacks();

  /** For how long nothing but the nodes that members were released to has kept it from starting. */
  public final Stranding stranding = new Stranding();

  public final FitVerdict verdict = new FitVerdict();
  public final LastTold told = new LastTold();
  private final Consumer<GangState> onChange;

  /** A gang that no walk is kept for. */
  public GangState(GangId id) {
    this(id, _ -> {}, UnaryOperator.identity());
  }

  /**
   * @param onChange is told whenever something has changed that may give the gang anything to do
   * @param stated what is meant by a time of day that a node has stated
   */
  public GangState(GangId id, Consumer<GangState> onChange, UnaryOperator<Instant> stated) {
    this.id = id;
    this.onChange = onChange;
    entry = new QueueEntry(stated);
    kin = RunTimes.kin(id);
    terms = new GroupTerms(id);
    ranks = new Ranks(terms);
  }

  /** Its members, or what is known of them, are others than before. */
  public void changed() {
    version++;
    activate();
  }

  /** Grows with each change of the members. */
  public long version() {
    return version;
  }

  /** As many as are needed run together. */
  public void satisfy() {
    satisfied = true;
    waitsAgain = false;
    members.noteRanBefore(_ -> false);
    ranks.start();
  }

  /** Goes on with this incarnation, if it is a later one. */
  public void goOnWith(long found) {
    incarnation = Math.max(incarnation, found);
  }

  /** Takes in what is stored of the gang: where that is ahead of it, the next life begins. */
  public void follow(long stored, long epoch) {
    if (stored > incarnation || (stored == incarnation && epoch > record.epoch())) {
      incarnation = stored + 1;
      companions.forget();
      changed();
    }
  }

  /** Something else about it has changed that may give it anything to do. */
  public void activate() {
    onChange.accept(this);
  }

  public void enter(Phase next) {
    phase = next;
    activate();
  }

  /** Whether its life has led to an end: some member has succeeded, and no other goes on. */
  public boolean hasSucceeded() {
    return satisfied && !members.isAnyLive() && members.hasAnySucceeded();
  }

  /** Live members that could be placed: unbound and held by nobody else's gate, in rank order. */
  public List<Pod> candidates() {
    return members.unbound(this::isCandidate);
  }

  public boolean isCandidate(Pod pod) {
    return members.isLive(pod)
        && !members.hasStarted(pod)
        && !pod.isGatedByOthers()
        && mayBePlaced(pod)
        && !counts.lacksClaim(pod);
  }

  /** Whether nothing in the member itself forbids it; what is recorded is carried out. */
  public boolean mayBePlaced(Pod pod) {
    return (pod.unplaceable().isEmpty()
            && pod.membership().filter(of -> terms.gangs().contains(of.gang())).isPresent())
        || record.names(pod.key().uid());
  }

  public boolean isReserved() {
    return !reservation.isEmpty();
  }

  public boolean isWaiting() {
    return !satisfied && !isReserved() && phase != Phase.BINDING && phase != Phase.BROKEN;
  }

  /**
   * Whether the NVLink domains that its members claim are there, and their PodGroups, until it has
   * started with the minimum that it needs now: then those that run count, and less will do.
   */
  public boolean hasCompanions() {
    return satisfied
        ? companions.includeAtMost(counts.companions())
        : companions.include(counts.companions());
  }

  /** Whether it was found not to fit, and neither its members nor the time have changed that. */
  public boolean isSetBack(Instant now) {
    return lastTry.isSetBack(version, now);
  }

  /** Goes on with a life that was begun elsewhere; its members are still to be told. */
  public void goOn(GangRecord found) {
    recovery.begin(found.ending());
    incarnation = found.incarnation();
    record.find(found.epoch());
    limit.find(found.limitReached());
    satisfied = found.satisfied();
    if (satisfied) {
      ranks.start();
      terms.startedWith(found.minAvailable());
    }
  }

  /** Whether it has had no member for so long that nothing is kept of it. */
  public boolean isForgotten(Instant now) {
    return members.isEmpty() && arrivals.isEmptyForLong(now);
  }

  /** Takes a new version of a member in; a first one after a life has ended begins another. */
  public void memberSeen(Pod pod, Instant now) {
    boolean isNew = !members.include(pod.key().uid());
    if (isNew && !pod.isTerminal() && !pod.progress().deleting()) {
      if (!awaitsFirstMember && beginsIncarnation(pod)) {
        beginIncarnation();
      }
      awaitsFirstMember = false;
    }
    newcomers.seen(pod, now);
    members.put(pod).ifPresent(ranks::forget);
    if (!pod.isGatedByMuster()) {
      gateRemovals.forget(pod.key().uid());
    }
    if (pod.progress().awaitsVolumes()) {
      reservation.awaitVolumes();
    }
    if (pod.isBound() && members.isLive(pod)) {
      entry.runsSince(pod.progress().startedAt(), now);
    }
    if (isNew) {
      arrivals.came(pod.origin().createdAt(), members.isLive(pod), now);
    }
    changed();
    if (members.isOfThisLife(pod)) {
      priority = Math.max(priority, pod.origin().priority());
      terms.hear(pod);
      entry.hear(pod);
      ranks.hear(pod);
    }
  }

  /**
   * A new life begins with a member that comes when no live one is left, unless it replaces a
   * failed sibling of members that have already succeeded for the same owner.
   */
  private boolean beginsIncarnation(Pod pod) {
    if (recovery.isUnderWay() || burst.isBeingUndone() || members.isAnyLive()) {
      return false;
    }
    if (members.isEmpty()) {
      return !terms.isSilent() || satisfied || !record.isEmpty();
    }
    return members.all().stream().noneMatch(other -> Members.hasSucceededFor(pod, other));
  }

  void beginIncarnation() {
    changed();
    incarnation++;
    satisfied = false;
    waitsAgain = false;
    discounted.clear();
    quarantine.forget();
    recovery.forget();
    enter(Phase.WAITING);
    terms.forget();
    entry.forget();
    lastTry.forget();
    arrivals.beginIncarnation(members.live());
    priority = Integer.MIN_VALUE;
    members.beginIncarnation();
    ranks.beginAnew(members.all().stream().filter(members::isOfThisLife).toList());
    record.abandon();
    burst.forget();
    gateRemovals.forgetAll();
    newcomers.forget();
    companions.forget();
    setbacks.forget();
    stranding.ends();
    losses.end();
    limit.beginIncarnation();
    deferred.since(Optional.empty());
    verdict.forget();
    told.beginIncarnation();
  }

  /** Waits again, after it has started, until its minimum is whole. */
  public void waitAgain() {
    changed();
    satisfied = false;
    waitsAgain = true;
    enter(Phase.WAITING);
    setbacks.forgetFailures();
    lastTry.forget();
    record.clear();
    burst.endRepair();
    gateRemovals.forgetAll();
    if (terms.matchPolicy() == Terms.MatchPolicy.ONLY_WAITING) {
      members.all().stream()
          .filter(members::hasStarted)
          .forEach(pod -> discounted.add(pod.key().uid()));
    }
  }

  /** Begins another incarnation with those that live. */
  public void startAgain(Instant now) {
    beginIncarnation();
    awaitsFirstMember = !members.isAnyLive();
    members.live().forEach(pod -> memberSeen(pod, now));
  }

  public void memberGone(String uid, Instant now) {
    changed();
    newcomers.gone(uid, now);
    members.remove(uid).ifPresent(ranks::forget);
    ending.gone(uid);
    bypasses.gone(uid);
    refused.remove(uid);
    gateRemovals.forget(uid);
    told.forgetMember(uid);
    burst.memberGone(uid);
    terms.memberGone(members.all());
    if (members.isEmpty()) {
      arrivals.empty(now);
    }
  }

  /** Members of one gang of the group in this life; all where it stands alone. */
  public List<Pod> membersOf(GangId gang) {
    return members.all().stream()
        .filter(members::isOfThisLife)
        .filter(pod -> terms.stating().size() < 2 || pod.isOf(gang))
        .toList();
  }

  /** What is stored with one gang of the group; the places of all stand with the first. */
  public GangRecord toRecord(GangId gang) {
    return new GangRecord(
        gang,
        incarnation,
        record.epoch(),
        phase,
        terms.minAvailableOf(gang),
        satisfied || waitsAgain,
        gang.equals(id) ? Map.copyOf(record.places()) : Map.of(),
        Members.sharedController(membersOf(gang)),
        limit.reached(),
        !ending.areNone());
  }

  public long incarnation() {
    return incarnation;
  }

  public Phase phase() {
    return phase;
  }

  public boolean satisfied() {
    return satisfied;
  }

  /** It had started and fell below its minimum: who comes waits for the others again. */
  public boolean waitsAgain() {
    return waitsAgain;
  }

  /** The highest of its members that live; where none does, of those in this incarnation. */
  public int priority() {
    return members.priority().orElse(priority);
  }
}
