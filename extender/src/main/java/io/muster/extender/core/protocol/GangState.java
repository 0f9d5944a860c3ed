package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One gang while Muster lives: its members, its reservation, the bind calls it holds, its burst.
 * Holds data and answers questions about it; the steps of the flow change it. Confined to the
 * decision thread.
 */
final class GangState {

  /** A bind call that waits at the barrier. */
  record Held(long call, String node, Instant since) {}

  /**
   * A place reserved for a member that is not seen yet.
   *
   * @param pin what a member was tied to that was given this place at birth
   * @param givenAt when that was
   */
  record OpenPlace(String holder, Demand demand, String node, Optional<Pin> pin, Instant givenAt) {

    OpenPlace(String holder, Demand demand, String node) {
      this(holder, demand, node, Optional.empty(), Instant.MIN);
    }

    OpenPlace given(Pin to, Instant at) {
      return new OpenPlace(holder, demand, node, Optional.of(to), at);
    }
  }

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
  Optional<Terms.Usable> terms = Optional.empty();
  Optional<Terms.Unusable> problem = Optional.empty();
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

  // After a failure.
  int failures;
  Instant holdOffUntil = Instant.MIN;
  final Map<String, Instant> excludedUntil = new HashMap<>();
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
  Optional<GangRecord> writtenRecord = Optional.empty();
  Optional<GangReport> writtenReport = Optional.empty();
  Optional<String> announced = Optional.empty();

  GangState(GangId id) {
    this.id = id;
  }

  int minAvailable() {
    return terms.map(Terms.Usable::minAvailable).orElse(Integer.MAX_VALUE);
  }

  /** Members that are neither ending nor ended, in rank order. */
  List<Pod> live() {
    return members.values().stream()
        .filter(pod -> !pod.progress().deleting() && !pod.isTerminal())
        .sorted(MEMBER_ORDER)
        .toList();
  }

  boolean hasLiveMember() {
    return members.values().stream()
        .anyMatch(pod -> !pod.progress().deleting() && !pod.isTerminal());
  }

  /** Members that count as started: live and bound, or succeeded. */
  int bound() {
    return (int) members.values().stream().filter(this::hasStarted).count();
  }

  boolean hasStarted(Pod pod) {
    if (pod.progress().deleting()) {
      return false;
    }
    return pod.progress().phase() == Pod.Phase.SUCCEEDED
        || (!pod.isTerminal() && (pod.isBound() || boundHere.contains(pod.key().uid())));
  }

  /** How many more members must be placed for the minimum. */
  int needed() {
    return Math.max(0, minAvailable() - bound());
  }

  /** Live members that could be placed: unbound and held by nobody else's gate, in rank order. */
  List<Pod> candidates() {
    return live().stream().filter(this::isCandidate).toList();
  }

  boolean isCandidate(Pod pod) {
    return !pod.progress().deleting()
        && !pod.isTerminal()
        && !hasStarted(pod)
        && !pod.isGatedByOthers()
        && mayBePlaced(pod);
  }

  /** Whether nothing in the member itself forbids it; what is recorded is carried out. */
  boolean mayBePlaced(Pod pod) {
    return pod.unplaceable().isEmpty() || record.containsKey(pod.key().uid());
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

  private void hear(Pod pod) {
    pod.membership()
        .ifPresent(membership -> {
          switch (membership.terms()) {
            case Terms.Usable usable when terms.isEmpty() -> terms = Optional.of(usable);
            case Terms.Unusable unusable when problem.isEmpty() && terms.isEmpty() ->
                problem = Optional.of(unusable);
            case Terms.Usable _, Terms.Unusable _, Terms.Unplaceable _ -> {
              // The first terms hold for the whole incarnation.
            }
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
      return terms.isPresent() || problem.isPresent() || satisfied || !record.isEmpty();
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
    incarnation++;
    satisfied = false;
    speculated = false;
    phase = Phase.WAITING;
    terms = Optional.empty();
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
    verdict = Optional.empty();
    trigger = Optional.empty();
    toldMembers.clear();
    announced = Optional.empty();
  }

  void memberGone(String uid, Instant now) {
    members.remove(uid);
    boundHere.remove(uid);
    refused.remove(uid);
    toldMembers.remove(uid);
    bindingSince.remove(uid);
    retryAt.remove(uid);
    if (members.isEmpty()) {
      emptySince = now;
    }
  }

  /** The owner all live members share, if they do. */
  Optional<String> commonController() {
    var owners =
        members.values().stream().map(pod -> pod.origin().controllerUid()).distinct().toList();
    return owners.size() == 1 ? owners.getFirst() : Optional.empty();
  }

  GangRecord toRecord() {
    return new GangRecord(
        id,
        incarnation,
        epoch,
        phase,
        terms.map(Terms.Usable::minAvailable).orElse(0),
        satisfied,
        record,
        commonController());
  }
}
