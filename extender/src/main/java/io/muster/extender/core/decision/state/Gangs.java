package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.TermsObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * All gangs, and which of them there is anything to do for: thousands may wait or run beside the
 * few that an event or half a second concerns, and walks leave those out. A gang is active from its
 * first member on, rests when its turn has found nothing more to do, and is active again with the
 * next change of it. Guaranteed of one that rests: it holds no reservation, has lost nobody, and
 * its users have been told all there is to tell. Confined to the decision thread.
 */
public final class Gangs {

  private final Map<GangId, GangState> all = new TreeMap<>();
  private final Set<GangState> active = new LinkedHashSet<>();
  private final Set<GangState> changed = new LinkedHashSet<>();
  private final Set<GangState> untimed = new LinkedHashSet<>();

  /** By namespace and name, gangs of that name, whatever their dialect, and those that join it. */
  private final Map<String, Map<GangId, GangState>> byJoinName = new HashMap<>();

  /** The names under which each gang stands there. */
  private final Map<GangId, Set<String>> joinNames = new HashMap<>();

  /** By gang, the groups of another name that have, or have had, to do with it. */
  private final Map<GangId, Map<GangId, GangState>> groups = new HashMap<>();

  /** The gangs for which each group stands there. */
  private final Map<GangId, Set<GangId>> grouped = new HashMap<>();

  /** Those of which it is to be read anew which gangs they join, and which are in their group. */
  private final Set<GangState> unread = new LinkedHashSet<>();

  /** By namespace and name, PodGroups that were made in this life of Muster, and for whom. */
  private final Map<String, GangId> podGroups = new HashMap<>();

  private final UnaryOperator<Instant> stated;

  /**
   * @param stated what is meant by a time of day that a node or the API server has stated
   */
  public Gangs(UnaryOperator<Instant> stated) {
    this.stated = stated;
  }

  /** The one of that name, which is new if there was none. */
  public GangState get(GangId id) {
    var known = all.get(id);
    if (known != null) {
      return known;
    }
    var gang = new GangState(id, this::onChange, stated);
    all.put(id, gang);
    onChange(gang);
    return gang;
  }

  /** The one of that name, if it is known. */
  public Optional<GangState> find(GangId id) {
    return Optional.ofNullable(all.get(id));
  }

  /** All of them by name, as a view. */
  public Collection<GangState> all() {
    return Collections.unmodifiableCollection(all.values());
  }

  /** Those that wait though enough of their members are there. */
  public List<GangState> waiting() {
    return all.values().stream().filter(Gangs::waits).toList();
  }

  /** The same, if it is one of them. */
  public Optional<GangState> waiting(GangId id) {
    return find(id).filter(Gangs::waits);
  }

  /** Whether it waits so; not if it has run for its run-time limit. */
  public static boolean waits(GangState gang) {
    return gang.isWaiting()
        && !gang.limit.isReached()
        && gang.members.isAnyLive()
        && gang.counts.isComplete();
  }

  public void remove(GangId id) {
    var gang = all.remove(id);
    if (gang != null) {
      if (!podGroups.isEmpty()) {
        podGroups.remove(podGroupOf(id));
      }
      active.remove(gang);
      changed.add(gang);
      untimed.add(gang);
      unread.remove(gang);
      enter(gang, Set.of());
      Optional.ofNullable(grouped.remove(id)).stream()
          .flatMap(Set::stream)
          .forEach(other -> leave(groups, other, id));
    }
  }

  /** The gang's PodGroup is made. */
  public void makesPodGroup(GangId id) {
    podGroups.put(podGroupOf(id), id);
  }

  private static String podGroupOf(GangId id) {
    return id.namespace() + "/" + NativeGroup.nameOf(id);
  }

  /** For which gang the object was made that has gone. */
  public Optional<GangId> takePodGroup(TermsObject object) {
    return object.kind() == TermsObject.Kind.NATIVE_POD_GROUP
        ? Optional.ofNullable(podGroups.remove(object.namespace() + "/" + object.name()))
        : Optional.empty();
  }

  private void enter(GangState gang, Set<String> names) {
    var before = names.isEmpty() ? joinNames.remove(gang.id) : joinNames.put(gang.id, names);
    if (before != null) {
      before.forEach(name -> leave(byJoinName, name, gang.id));
    }
    names.forEach(
        name -> byJoinName.computeIfAbsent(name, _ -> new TreeMap<>()).put(gang.id, gang));
  }

  private static <K> void leave(Map<K, Map<GangId, GangState>> index, K key, GangId gang) {
    index.computeIfPresent(
        key,
        (_, gangs) -> {
          gangs.remove(gang);
          return gangs.isEmpty() ? null : gangs;
        });
  }

  private void readChanged() {
    unread.forEach(gang -> {
      enter(gang, namesOf(gang));
      othersOf(gang)
          .forEach(other -> {
            groups.computeIfAbsent(other, _ -> new TreeMap<>()).put(gang.id, gang);
            grouped.computeIfAbsent(gang.id, _ -> new HashSet<>()).add(other);
          });
    });
    unread.clear();
  }

  private static List<GangId> othersOf(GangState gang) {
    return Stream.of(gang.terms.named(), gang.terms.needingCompanions(), gang.told.objects())
        .flatMap(Set::stream)
        .filter(other -> !other.equals(gang.id))
        .toList();
  }

  /**
   * The groups of another name, by name, that the gang is in or has been in: they tell of it on its
   * object, and have made what its members need. Takes time by how many these are, and how many
   * gangs have changed since this was last asked.
   */
  public Collection<GangState> groupsWith(GangId gang) {
    readChanged();
    return List.copyOf(groups.getOrDefault(gang, Map.of()).values());
  }

  private static Set<String> namesOf(GangState gang) {
    return Stream.concat(
            Stream.of(gang.id.name()),
            gang.terms.neighbours().stream()
                .flatMap(all -> gang.terms.topologyOf(all).joins().stream()))
        .map(name -> gang.id.namespace() + "/" + name)
        .collect(Collectors.toSet());
  }

  /**
   * The others in whose domains those that are placed as one are to be: the gang that they join,
   * and whoever else has joined it. None where they join nobody. Takes time by how many these are,
   * and how many gangs have changed since this was last asked.
   */
  public Collection<GangState> joinedBy(GangState gang, Neighbours neighbours) {
    var name = gang.terms.topologyOf(neighbours).joins();
    if (name.isEmpty()) {
      return List.of();
    }
    readChanged();
    var others =
        new ArrayList<>(
            byJoinName.getOrDefault(gang.id.namespace() + "/" + name.get(), Map.of()).values());
    others.remove(gang);
    return others;
  }

  /**
   * The rank with which the first segment of those begins that are placed as one: the lowest of
   * theirs, and of the members of gangs that they join. Members without a rank have no part in it.
   */
  public int firstRank(GangState gang, Neighbours neighbours) {
    return IntStream.concat(
            gang.ranks.lowestOf(neighbours).stream(),
            joinedBy(gang, neighbours).stream()
                .flatMapToInt(other -> other.ranks.lowest().stream()))
        .min()
        .orElse(0);
  }

  /** Number of the innermost segment that the member is in by its rank; empty if it has neither. */
  public OptionalInt segmentOf(GangState gang, Pod pod) {
    var neighbours = gang.terms.neighboursOf(pod);
    var segments = gang.terms.topologyOf(neighbours).segments();
    return segments.isEmpty() || pod.rank() == Integer.MAX_VALUE
        ? OptionalInt.empty()
        : OptionalInt.of((pod.rank() - firstRank(gang, neighbours)) / segments.getFirst().size());
  }

  /** Whether it has not been removed since. */
  public boolean knows(GangState gang) {
    return find(gang.id).filter(gang::equals).isPresent();
  }

  private void onChange(GangState gang) {
    if (knows(gang)) {
      active.add(gang);
      changed.add(gang);
      untimed.add(gang);
      unread.add(gang);
    }
  }

  /** There may be something to say or to do for it, though nothing about it has changed. */
  public void wake(GangState gang) {
    if (knows(gang)) {
      active.add(gang);
    }
  }

  /** There is nothing to do for it until it changes or is woken. */
  public void rest(GangState gang) {
    active.remove(gang);
  }

  /** Those that do not rest, as they are now: the walk may change them. */
  public List<GangState> active() {
    return List.copyOf(active);
  }

  /** Those of them. */
  public List<GangState> active(Predicate<GangState> which) {
    var found = new ArrayList<GangState>();
    for (var gang : active) {
      if (which.test(gang)) {
        found.add(gang);
      }
    }
    return found;
  }

  /** Those that have changed or gone since this was last asked. */
  public List<GangState> takeChanged() {
    var taken = List.copyOf(changed);
    changed.clear();
    return taken;
  }

  /** The same for those who look at their run-time limits. */
  public List<GangState> takeUntimed() {
    var taken = List.copyOf(untimed);
    untimed.clear();
    return taken;
  }
}
