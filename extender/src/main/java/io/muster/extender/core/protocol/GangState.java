package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * One gang while Muster lives, or a group of gangs that start as one: its members, its reservation,
 * the bind calls it holds, its burst. A group goes by the name of the gang that sorts first, whose
 * object holds the record of all. Holds data and answers questions about it; the steps of the flow
 * change it. Confined to the decision thread.
 */
final class GangState {

  /** A bind call that waits at the barrier. */
  record Held(long call, String node, Instant since) {}

  /** A place reserved for a member that is not seen yet, and to whom it was given at birth. */
  record OpenPlace(String holder, Demand demand, String node, Optional<Given> given) {

    OpenPlace on(String otherNode) {
      return new OpenPlace(holder, demand, otherNode, given);
    }

    Optional<Pin> pin() {
      return given.map(Given::pin);
    }
  }

  /** A member that is to be stored: what it was tied to, itself, and when that was. */
  record Given(Pin pin, Pod member, Instant at) {}

  /** The order in which gangs wait. */
  static final Comparator<GangState> OLDEST_FIRST =
      Comparator.comparing((GangState gang) -> gang.bornAt).thenComparing(gang -> gang.id);

  private static final Comparator<Pod> MEMBER_ORDER =
      Comparator.comparingInt(Pod::rank)
          .thenComparing((Pod pod) -> pod.key().name())
          .thenComparing((Pod pod) -> pod.key().uid());

  final GangId id;

  // The incarnation.
  long incarnation = 1;
  long epoch;
  Phase phase = Phase.WAITING;
  boolean satisfied;

  /** Stored state has been told, but not yet all members: no life begins meanwhile. */
  boolean recovering;

  boolean speculated;

  /** A member was promised at its birth, and none of this incarnation has been seen yet. */
  boolean expected;

  Instant lastBirthAt = Instant.MIN;

  /** What each gang has stated first in this incarnation. */
  final Map<GangId, Terms.Usable> stated = new TreeMap<>();

  private Count counted;
  private Set<GangId> gangs;
  private Optional<Quorum> quorum = Optional.empty();
  Optional<Terms.Unusable> problem = Optional.empty();

  /** Grows with each change of the members. */
  long version;

  /** The version at which nothing was left to do but to wait for a change. */
  long quietAt = -1;

  /** The state of the ledger and of the members in which the gang was last found not to fit. */
  Optional<Tried> tried = Optional.empty();

  /** The one of these that its users have been told about. */
  Optional<Tried> explained = Optional.empty();

  record Tried(long room, long members, Instant until) {}

  Instant bornAt = Instant.MAX;
  Instant lastMemberAt = Instant.MIN;
  Instant emptySince = Instant.MAX;

  /** Members by uid, those that are ending or have ended included, until they are deleted. */
  final Map<String, Pod> members = new HashMap<>();

  // The reservation: places of members by uid, and of those to come.
  final Map<String, String> places = new LinkedHashMap<>();
  final List<OpenPlace> openPlaces = new ArrayList<>();

  /** Nodes with room beside the reservation, by the shape that they suit. */
  final Map<Demand, List<String>> spares = new HashMap<>();

  Instant reservedAt = Instant.MIN;
  Instant lastProgress = Instant.MIN;
  boolean speculative;

  /** Members that filter refused and that nothing but Muster will wake. */
  final Set<String> refused = new HashSet<>();

  // The barrier and the burst.
  final Map<String, Held> arrived = new LinkedHashMap<>();
  final Map<String, Place> record = new LinkedHashMap<>();
  final Set<String> boundHere = new HashSet<>();
  final Map<String, Instant> bindingSince = new HashMap<>();
  final Map<String, Instant> retryAt = new HashMap<>();
  boolean recordPending;

  /** Whether the record as it stands here has been stored. */
  boolean recordStored;

  Instant burstStarted = Instant.MIN;
  Optional<Instant> repairSince = Optional.empty();
  boolean undoing;

  // Losses after the start.

  /** A member that had started: what it asked for and where it was. */
  record Lost(Demand shape, Optional<String> node) {}

  final List<Lost> lost = new ArrayList<>();
  Optional<Instant> lostSince = Optional.empty();

  /** The loss is one that it starts again for; nobody joins it before that. */
  boolean restartDue;

  /** Members that end so that the gang can start again; they are its own no more. */
  final Set<String> condemned = new HashSet<>();

  Instant restartedAt = Instant.MIN;

  // After a failure.
  int failures;
  Instant holdOffUntil = Instant.MIN;
  final Map<String, Instant> excludedUntil = new HashMap<>();
  final Map<String, Integer> blames = new HashMap<>();
  Instant remadeAt = Instant.MIN;

  /** Placed members that kube-scheduler has asked about since the plan. */
  final Set<String> asked = new HashSet<>();

  /** When kube-scheduler was first seen to find no node for a placed member. */
  final Map<String, Instant> rejectedSince = new HashMap<>();

  // What was last told.
  Optional<String> verdict = Optional.empty();
  Optional<String> trigger = Optional.empty();
  final Map<String, String> toldMembers = new HashMap<>();
  Instant toldAt = Instant.MIN;
  final Map<GangId, Told> told = new HashMap<>();
  Instant reportedAt = Instant.MIN;
  Optional<String> announced = Optional.empty();

  /** What was last handed over to be stored of a gang. */
  record Told(GangRecord record, GangReport report) {}

  GangState(GangId id) {
    this.id = id;
    this.gangs = Set.of(id);
  }

  /** What its gangs need to start; empty while one of them has stated nothing of use. */
  Optional<Quorum> quorum() {
    return quorum;
  }

  /** Members that start together at least; 0 while that is not known. */
  int minAvailable() {
    return quorum.map(Quorum::size).orElse(0);
  }

  /** The gangs that start together, at least this one; by name. */
  Set<GangId> gangs() {
    return gangs;
  }

  /** The gang that gives the group its name decides who belongs to it, once it has spoken. */
  private Optional<Terms.Usable> leading() {
    return Optional.ofNullable(stated.get(id)).or(() -> stated.values().stream().findFirst());
  }

  /** Gangs of the group that have stated nothing yet, or another group. */
  List<GangId> absentGangs() {
    var groups = leading().map(Terms.Usable::groups);
    return gangs().stream()
        .filter(gang ->
            groups.isEmpty()
                || !Optional.ofNullable(stated.get(gang)).map(Terms.Usable::groups).equals(groups))
        .toList();
  }

  private void form() {
    var named = new TreeSet<>(Set.of(id));
    leading().ifPresent(terms -> terms.groups().forEach(name -> named.add(id.sibling(name))));
    gangs = Collections.unmodifiableSet(named);
    quorum =
        stated.isEmpty() || !absentGangs().isEmpty()
            ? Optional.empty()
            : Optional.of(
                new Quorum(
                    gangs().stream()
                        .map(gang -> new Quorum.Part(gang, stated.get(gang)))
                        .toList()));
  }

  /** How close together the members of one of its gangs are to be. */
  Topology topologyOf(GangId gang) {
    return Optional.ofNullable(stated.get(gang))
        .map(Terms.Usable::topology)
        .orElse(Topology.ANYWHERE);
  }

  /** What becomes of the gang when it loses a member. */
  Terms.OnLoss onLoss() {
    return leading().map(Terms.Usable::onLoss).orElse(Terms.OnLoss.REPLACE);
  }

  /** Members that are neither ending nor ended, in rank order. */
  List<Pod> live() {
    return members.values().stream().filter(this::isLive).sorted(MEMBER_ORDER).toList();
  }

  boolean hasLiveMember() {
    return members.values().stream().anyMatch(this::isLive);
  }

  private boolean isLive(Pod pod) {
    return !pod.progress().deleting() && !pod.isTerminal() && !condemned.contains(pod.key().uid());
  }

  /** Members that count as started: live and bound, or succeeded. */
  int bound() {
    return (int) members.values().stream().filter(this::hasStarted).count();
  }

  boolean hasStarted(Pod pod) {
    if (pod.progress().deleting() || condemned.contains(pod.key().uid())) {
      return false;
    }
    return pod.progress().phase() == Pod.Phase.SUCCEEDED
        || (!pod.isTerminal() && (pod.isBound() || boundHere.contains(pod.key().uid())));
  }

  private List<Pod> started() {
    return members.values().stream().filter(this::hasStarted).toList();
  }

  /** How many more members must be placed for the minimum; very many while that is not known. */
  int needed() {
    return count().needed();
  }

  /** Who counts for the minimum; asked for all waiting gangs whenever room comes free. */
  private record Count(
      long version, int boundHere, int condemned, int record, int needed, List<Pod> chosen) {}

  private Count count() {
    if (counted == null
        || counted.version() != version
        || counted.boundHere() != boundHere.size()
        || counted.condemned() != condemned.size()
        || counted.record() != record.size()) {
      counted =
          new Count(
              version,
              boundHere.size(),
              condemned.size(),
              record.size(),
              quorum.map(q -> q.missing(started())).orElse(Integer.MAX_VALUE),
              quorum.map(q -> q.choose(started(), candidates())).orElse(List.of()));
    }
    return counted;
  }

  /** Whether the minimum needs this member beside those that have a place or were given one. */
  boolean needs(Pod pod) {
    var have = new ArrayList<>(startedAnd(places.keySet()));
    openPlaces.stream()
        .flatMap(open -> open.given().stream())
        .map(Given::member)
        .forEach(have::add);
    var more = new ArrayList<>(have);
    more.add(pod);
    return quorum.filter(q -> q.missing(more) < q.missing(have)).isPresent();
  }

  /** How many more are needed once those have started too. */
  int neededBeside(Set<String> uids) {
    return quorum.map(q -> q.missing(startedAnd(uids))).orElse(Integer.MAX_VALUE);
  }

  private List<Pod> startedAnd(Set<String> uids) {
    return members.values().stream()
        .filter(pod -> hasStarted(pod) || uids.contains(pod.key().uid()))
        .toList();
  }

  /** The members that the minimum needs, in rank order; fewer if there are not enough. */
  List<Pod> chosen() {
    return count().chosen();
  }

  /** The same beside those that have a place already. */
  List<Pod> chosenBeside(Set<String> placed) {
    return quorum
        .map(q ->
            q.choose(
                startedAnd(placed),
                candidates().stream().filter(pod -> !placed.contains(pod.key().uid())).toList()))
        .orElse(List.of());
  }

  /** Whether enough members are there to start. */
  boolean isComplete() {
    return quorum.isPresent() && chosen().size() >= needed();
  }

  /** Live members that could be placed: unbound and held by nobody else's gate, in rank order. */
  List<Pod> candidates() {
    return live().stream().filter(this::isCandidate).toList();
  }

  boolean isCandidate(Pod pod) {
    return isLive(pod) && !hasStarted(pod) && !pod.isGatedByOthers() && mayBePlaced(pod);
  }

  /** Whether nothing in the member itself forbids it; what is recorded is carried out. */
  boolean mayBePlaced(Pod pod) {
    return (pod.unplaceable().isEmpty() && isOfGroup(pod)) || record.containsKey(pod.key().uid());
  }

  boolean isOfGroup(Pod pod) {
    return pod.membership().filter(member -> gangs().contains(member.gang())).isPresent();
  }

  /** Why a member that is there will never start, if there is one; the first by rank. */
  Optional<Terms.Unplaceable> unplaceable() {
    return live().stream()
        .filter(pod -> !hasStarted(pod) && !mayBePlaced(pod))
        .flatMap(pod -> pod.unplaceable().stream())
        .findFirst();
  }

  boolean isReserved() {
    return !places.isEmpty() || !openPlaces.isEmpty();
  }

  boolean isWaiting() {
    return !satisfied && !isReserved() && phase != Phase.BINDING && phase != Phase.BROKEN;
  }

  /** Nodes this gang must not be sent to for now. */
  Set<String> excluded(Instant now) {
    excludedUntil.values().removeIf(until -> !until.isAfter(now));
    return Set.copyOf(excludedUntil.keySet());
  }

  /** Takes a new version of a member in; a first one after a life has ended begins another. */
  void memberSeen(Pod pod, Instant now) {
    boolean isNew = !members.containsKey(pod.key().uid());
    if (isNew && !pod.isTerminal() && !pod.progress().deleting()) {
      if (!expected && beginsIncarnation(pod)) {
        beginIncarnation();
      }
      expected = false;
    }
    members.put(pod.key().uid(), pod);
    if (isNew) {
      lastMemberAt = now;
      emptySince = Instant.MAX;
      if (pod.origin().createdAt().isBefore(bornAt)) {
        bornAt = pod.origin().createdAt();
      }
    }
    hear(pod);
  }

  /** A member is about to be stored; whether it will be is not known. */
  void expect(Pod pod, Instant now) {
    if (!hasLiveMember() && !expected) {
      if (beginsIncarnation(pod)) {
        beginIncarnation();
      }
      expected = true;
    }
    lastBirthAt = now;
    if (members.isEmpty() && emptySince.equals(Instant.MAX)) {
      emptySince = now;
    }
    hear(pod);
  }

  /** When the last sign of another member came. */
  Instant lastSignAt() {
    return lastMemberAt.isAfter(lastBirthAt) ? lastMemberAt : lastBirthAt;
  }

  /** The first terms that a gang's members state hold for the whole incarnation. */
  private void hear(Pod pod) {
    version++;
    pod.membership()
        .ifPresent(membership -> {
          switch (membership.terms()) {
            case Terms.Usable usable when !stated.containsKey(membership.gang()) -> {
              stated.put(membership.gang(), usable);
              form();
            }
            case Terms.Unusable unusable when problem.isEmpty() && stated.isEmpty() ->
                problem = Optional.of(unusable);
            case Terms.Usable _, Terms.Unusable _, Terms.Unplaceable _ -> {}
          }
        });
  }

  /**
   * A new life begins with a member that comes when no live one is left, unless it replaces a
   * failed sibling of members that have already succeeded for the same owner.
   */
  private boolean beginsIncarnation(Pod pod) {
    if (recovering || undoing || hasLiveMember()) {
      return false;
    }
    if (members.isEmpty()) {
      return !stated.isEmpty() || problem.isPresent() || satisfied || !record.isEmpty();
    }
    return members.values().stream().noneMatch(siblingOf(pod));
  }

  /** Tells which members have succeeded for the owner of that pod. */
  static Predicate<Pod> siblingOf(Pod pod) {
    return other ->
        pod.origin().controllerUid().isPresent()
            && other.origin().controllerUid().equals(pod.origin().controllerUid())
            && other.progress().phase() == Pod.Phase.SUCCEEDED;
  }

  void beginIncarnation() {
    version++;
    incarnation++;
    satisfied = false;
    speculated = false;
    phase = Phase.WAITING;
    stated.clear();
    form();
    tried = Optional.empty();
    explained = Optional.empty();
    problem = Optional.empty();
    bornAt = Instant.MAX;
    members.values().removeIf(Pod::isTerminal);
    record.clear();
    boundHere.clear();
    bindingSince.clear();
    retryAt.clear();
    repairSince = Optional.empty();
    undoing = false;
    failures = 0;
    holdOffUntil = Instant.MIN;
    excludedUntil.clear();
    blames.clear();
    lost.clear();
    lostSince = Optional.empty();
    restartDue = false;
    verdict = Optional.empty();
    trigger = Optional.empty();
    toldMembers.clear();
    announced = Optional.empty();
  }

  /** Begins another incarnation with those that live. */
  void startAgain(Instant now) {
    beginIncarnation();
    expected = true;
    live().forEach(pod -> memberSeen(pod, now));
  }

  void memberGone(String uid, Instant now) {
    version++;
    members.remove(uid);
    condemned.remove(uid);
    boundHere.remove(uid);
    refused.remove(uid);
    toldMembers.remove(uid);
    bindingSince.remove(uid);
    retryAt.remove(uid);
    if (members.isEmpty()) {
      emptySince = now;
    }
  }

  /** Members of one gang of the group; all where it stands alone. */
  List<Pod> membersOf(GangId gang) {
    return members.values().stream()
        .filter(pod ->
            stated.size() < 2
                || pod.membership().filter(member -> member.gang().equals(gang)).isPresent())
        .toList();
  }

  /** The owner all members of the gang share, if they do. */
  private Optional<String> controllerOf(GangId gang) {
    var owners =
        membersOf(gang).stream().map(pod -> pod.origin().controllerUid()).distinct().toList();
    return owners.size() == 1 ? owners.getFirst() : Optional.empty();
  }

  /** What is stored with one gang of the group; the places of all stand with the first. */
  GangRecord toRecord(GangId gang) {
    return new GangRecord(
        gang,
        incarnation,
        epoch,
        phase,
        Optional.ofNullable(stated.get(gang)).map(Terms.Usable::minAvailable).orElse(0),
        satisfied,
        gang.equals(id) ? record : Map.of(),
        controllerOf(gang));
  }
}
