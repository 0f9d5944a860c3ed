package io.muster.extender.core.decision.member;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Burst;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The members of one gang by uid, those that are ending or have ended included, until they are
 * deleted; which of them live, and which have started. Confined to the decision thread.
 */
public final class Members {

  /** By rank, and those alike by name. */
  public static final Comparator<Pod> ORDER =
      Comparator.comparingInt(Pod::rank)
          .thenComparing((Pod pod) -> pod.key().name())
          .thenComparing((Pod pod) -> pod.key().uid());

  /** Who controls those of an incarnation. */
  private record Owners(long incarnation, Set<String> uids) {}

  private final Map<String, Pod> byUid = new HashMap<>();

  private final Map<String, Set<String>> uidsByOwner = new HashMap<>();

  /** Those that are on no node: few of a gang that runs. */
  private final Map<String, Pod> unbound = new HashMap<>();

  /** Those that were on a node before they came to the gang, or to this life of it. */
  private final Set<String> ranBefore = new HashSet<>();

  /** Those whose end belongs to an earlier life, until they are gone. */
  private final Set<String> former = new HashSet<>();

  private final EndingMembers ending;
  private final Bypasses bypasses;
  private final Burst burst;
  private final LongSupplier incarnation;

  /** Worked out once for the members that there are. */
  private Optional<Owners> owners = Optional.empty();

  private final Priorities priorities = new Priorities();

  /**
   * @param incarnation that which the gang is in
   */
  public Members(EndingMembers ending, Bypasses bypasses, Burst burst, LongSupplier incarnation) {
    this.ending = ending;
    this.bypasses = bypasses;
    this.burst = burst;
    this.incarnation = incarnation;
  }

  /** All of them as a view, in no order. */
  public Collection<Pod> all() {
    return Collections.unmodifiableCollection(byUid.values());
  }

  /** Those that this owner controls, in no order. */
  Stream<Pod> ofOwner(String owner) {
    return uidsByOwner.getOrDefault(owner, Set.of()).stream().map(byUid::get);
  }

  public Set<String> uids() {
    return Collections.unmodifiableSet(byUid.keySet());
  }

  public Optional<Pod> find(String uid) {
    return Optional.ofNullable(byUid.get(uid));
  }

  public boolean include(String uid) {
    return byUid.containsKey(uid);
  }

  public boolean isEmpty() {
    return byUid.isEmpty();
  }

  public int size() {
    return byUid.size();
  }

  /** The version before it, if there was one. */
  public Optional<Pod> put(Pod pod) {
    owners = Optional.empty();
    unbound.remove(pod.key().uid());
    if (!pod.isBound()) {
      unbound.put(pod.key().uid(), pod);
    }
    if (isLive(pod)) {
      priorities.put(pod.key().uid(), pod.origin().priority());
    } else {
      priorities.remove(pod.key().uid());
    }
    var before = Optional.ofNullable(byUid.put(pod.key().uid(), pod));
    if (before.isEmpty() && pod.isBound()) {
      ranBefore.add(pod.key().uid());
    }
    before.ifPresent(this::disown);
    pod.origin()
        .controllerUid()
        .ifPresent(
            owner -> uidsByOwner.computeIfAbsent(owner, _ -> new HashSet<>()).add(pod.key().uid()));
    return before;
  }

  private void disown(Pod pod) {
    pod.origin()
        .controllerUid()
        .ifPresent(owner ->
            uidsByOwner.computeIfPresent(
                owner,
                (_, uids) -> {
                  uids.remove(pod.key().uid());
                  return uids.isEmpty() ? null : uids;
                }));
  }

  public Optional<Pod> remove(String uid) {
    owners = Optional.empty();
    priorities.remove(uid);
    unbound.remove(uid);
    ranBefore.remove(uid);
    former.remove(uid);
    var removed = Optional.ofNullable(byUid.remove(uid));
    removed.ifPresent(this::disown);
    return removed;
  }

  /** Another incarnation begins: who has failed has done so in the one before. */
  public void beginIncarnation() {
    owners = Optional.empty();
    noteRanBefore(_ -> true);
    noteFormer(_ -> true);
    byUid.values().stream().filter(Members::hasFailed).forEach(this::disown);
    byUid.values().removeIf(Members::hasFailed);
    unbound.values().removeIf(Members::hasFailed);
  }

  /** Those are found that end or have ended, and were placed in another incarnation than this. */
  public void takeUp() {
    noteFormer(pod -> isPlaced(pod) && !isPlacedNow(pod));
  }

  /** Of those that are on nodes, such were there before the gang was to start with them. */
  public void noteRanBefore(Predicate<Pod> which) {
    ranBefore.clear();
    byUid.values().stream()
        .filter(pod -> pod.isBound() && isLive(pod) && which.test(pod))
        .forEach(pod -> ranBefore.add(pod.key().uid()));
  }

  /**
   * Whether it was on a node before the gang was to start with it, and so is none of its burst; not
   * one that was bound past Muster.
   */
  public boolean hasRunBefore(Pod pod) {
    return ranBefore.contains(pod.key().uid()) && !bypasses.include(pod.key().uid());
  }

  private void noteFormer(Predicate<Pod> which) {
    byUid.values().stream()
        .filter(pod -> !isLive(pod))
        .filter(which)
        .forEach(pod -> former.add(pod.key().uid()));
  }

  /** Whether the end of that pod is no loss of the present life: an earlier one has lost it. */
  public boolean isFormer(String uid) {
    return former.contains(uid);
  }

  private static boolean hasFailed(Pod pod) {
    return pod.progress().phase() == Pod.Phase.FAILED;
  }

  /** Those that are neither ending nor ended, in rank order. */
  public List<Pod> live() {
    return byUid.values().stream().filter(this::isLive).sorted(ORDER).toList();
  }

  /** Those that live, are on no node and are such, in rank order. */
  public List<Pod> unbound(Predicate<Pod> which) {
    return unbound.values().stream().filter(this::isLive).filter(which).sorted(ORDER).toList();
  }

  public boolean isAnyLive() {
    for (var pod : byUid.values()) {
      if (isLive(pod)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the member neither ends nor has ended. */
  public boolean isLive(Pod pod) {
    return !pod.progress().deleting() && !pod.isTerminal() && !ending.include(pod.key().uid());
  }

  /** The highest priority of those that lived when last seen; empty if none did. */
  public OptionalInt priority() {
    return priorities.highest();
  }

  /** The lowest priority of those; empty if none did. */
  public OptionalInt lowestPriority() {
    return priorities.lowest();
  }

  /** Those that have started and are on nodes, in no order. */
  public List<Pod> onNodes() {
    return byUid.values().stream().filter(pod -> pod.isBound() && hasStarted(pod)).toList();
  }

  /** How many count as started: live and bound, or succeeded. */
  public int started() {
    return (int) byUid.values().stream().filter(this::hasStarted).count();
  }

  public boolean hasStarted(Pod pod) {
    if (pod.progress().deleting() || ending.include(pod.key().uid())) {
      return false;
    }
    return (pod.progress().phase() == Pod.Phase.SUCCEEDED && isOfThisLife(pod))
        || (!pod.isTerminal() && (pod.isBound() || burst.isBound(pod.key().uid())));
  }

  /**
   * Whether a member is one of the gang's present life. Whoever goes on is. Who has ended is if it
   * was placed in this incarnation, or for the owner of such a member: an owner that makes the rest
   * anew after a loss does not make it anew. Who has ended for another owner belongs to a former
   * gang of the same name. Of who was not placed by Muster nothing is known but the owner.
   */
  public boolean isOfThisLife(Pod pod) {
    return !pod.isTerminal()
        || isPlacedNow(pod)
        || pod.origin().controllerUid().filter(owners()::contains).isPresent()
        || (!isPlaced(pod) && (owners().isEmpty() || pod.origin().controllerUid().isEmpty()));
  }

  private boolean isPlacedNow(Pod pod) {
    return pod.origin().placement().equals(Optional.of(Long.toString(incarnation.getAsLong())));
  }

  /** Whether it was placed in another incarnation than this. */
  public boolean isPlacedBefore(Pod pod) {
    return pod.origin().placement().isPresent() && !isPlacedNow(pod);
  }

  private Set<String> owners() {
    long now = incarnation.getAsLong();
    var known = owners.filter(last -> last.incarnation() == now).orElseGet(() -> findOwners(now));
    owners = Optional.of(known);
    return known.uids();
  }

  private Owners findOwners(long now) {
    return new Owners(
        now,
        byUid.values().stream()
            .filter(pod -> !pod.isTerminal() || isPlacedNow(pod))
            .flatMap(pod -> pod.origin().controllerUid().stream())
            .collect(Collectors.toSet()));
  }

  /** Whether one has, in the present life. */
  public boolean hasAnySucceeded() {
    return byUid.values().stream()
        .anyMatch(pod -> pod.progress().phase() == Pod.Phase.SUCCEEDED && isOfThisLife(pod));
  }

  /** Whether nobody has started but those that Muster was not asked about. */
  public boolean onlyUnmarkedStarted() {
    return byUid.values().stream()
        .filter(this::hasStarted)
        .allMatch(pod -> bypasses.include(pod.key().uid()));
  }

  /** Whether more than half of those that have started are where Muster has sent them. */
  public boolean wereStartedByMuster() {
    var started = byUid.values().stream().filter(pod -> isLive(pod) && hasStarted(pod)).toList();
    return 2 * started.stream().filter(this::isPlaced).count() > started.size();
  }

  /** Whether Muster has sent it where it is. */
  public boolean isPlaced(Pod pod) {
    return pod.origin().placement().isPresent() || burst.isBound(pod.key().uid());
  }

  /** Whether some are on their way already, and tied to the nodes that they were planned for. */
  public boolean isAnyReleased() {
    return byUid.values().stream()
        .anyMatch(pod ->
            pod.origin().pinning().pin().isPresent()
                && !pod.isGated()
                && isLive(pod)
                && !hasStarted(pod));
  }

  /** Whether a sibling has succeeded for the owner of that pod. */
  public static boolean hasSucceededFor(Pod pod, Pod sibling) {
    return pod.isMadeAnew()
        && sibling.origin().controllerUid().equals(pod.origin().controllerUid())
        && sibling.progress().phase() == Pod.Phase.SUCCEEDED;
  }

  /** The owner that all of these share, if they do. */
  public static Optional<String> sharedController(List<Pod> members) {
    var owners = members.stream().map(pod -> pod.origin().controllerUid()).distinct().toList();
    return owners.size() == 1 ? owners.getFirst() : Optional.empty();
  }

  /** The priority that all these have, with the same preemption policy; 0 where there are none. */
  public static Optional<Integer> sharedPriority(List<Pod> members) {
    boolean arePoliciesMixed =
        members.stream().map(pod -> pod.wishes().preempts()).distinct().count() > 1;
    var priorities = members.stream().map(pod -> pod.origin().priority()).distinct().toList();
    return arePoliciesMixed || priorities.size() > 1
        ? Optional.empty()
        : Optional.of(priorities.isEmpty() ? 0 : priorities.getFirst());
  }
}
