package io.muster.extender.core.decision.burst;

import io.muster.extender.core.cluster.Demand;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What is reserved for one gang: a place for each member of its plan, places for replacements of
 * lost members, and what kube-scheduler has done about the plan so far. The ledger of nodes holds
 * the same devices. Confined to the decision thread.
 */
public final class Reservation {

  /** A place reserved for a pod of a gang that has started, until its owner makes that pod. */
  public record OpenPlace(String holder, Demand demand, String node) {

    /** Devices that are kept, of every name. */
    public long devices() {
      return demand.requests().devices();
    }
  }

  private final Map<String, String> places = new LinkedHashMap<>();
  private final List<OpenPlace> open = new ArrayList<>();

  /** Nodes with room beside the reservation, by the shape that they suit. */
  private final Map<Demand, List<String>> spares = new HashMap<>();

  private Instant madeAt = Instant.MIN;
  private Instant progressAt = Instant.MIN;
  private boolean awaitsVolumes;
  private final Set<String> asked = new HashSet<>();
  private final Map<String, Instant> rejectedSince = new HashMap<>();

  /** It is made now; places are put into it next. */
  public void begin(boolean areVolumesAwaited, Instant now) {
    spares.clear();
    asked.clear();
    rejectedSince.clear();
    madeAt = now;
    progressAt = now;
    awaitsVolumes = areVolumesAwaited;
  }

  /** Gives all places back, or hands them over. */
  public void clear() {
    places.clear();
    open.clear();
    spares.clear();
  }

  public boolean isEmpty() {
    return places.isEmpty() && open.isEmpty();
  }

  public Instant madeAt() {
    return madeAt;
  }

  public boolean isYoungerThan(Duration time, Instant now) {
    return now.isBefore(madeAt.plus(time));
  }

  public boolean isOlderThan(Duration time, Instant now) {
    return now.isAfter(madeAt.plus(time));
  }

  /** Some member has come to its place. */
  public void progress(Instant now) {
    progressAt = now;
  }

  /** Whether nothing has come of it for longer than that. */
  public boolean isStalledFor(Duration time, Instant now) {
    return now.isAfter(progressAt.plus(time));
  }

  /** Some member has mounted a claim without a volume. */
  public void awaitVolumes() {
    awaitsVolumes = true;
  }

  public boolean awaitsVolumes() {
    return awaitsVolumes;
  }

  public void put(String uid, String node) {
    places.put(uid, node);
  }

  /** Says whether the member had a place. */
  public boolean remove(String uid) {
    return places.remove(uid) != null;
  }

  public boolean holds(String uid) {
    return places.containsKey(uid);
  }

  /** Where the member's place is. */
  public Optional<String> node(String uid) {
    return Optional.ofNullable(places.get(uid));
  }

  /** Members with places, in the order of the plan, as they change. */
  public Set<String> uids() {
    return Collections.unmodifiableSet(places.keySet());
  }

  public int size() {
    return places.size();
  }

  /** Nodes of members by uid, as they are now. */
  public Map<String, String> places() {
    return Collections.unmodifiableMap(new LinkedHashMap<>(places));
  }

  public void keepOpen(OpenPlace place) {
    open.add(place);
  }

  public void close(OpenPlace place) {
    open.remove(place);
  }

  public OpenPlace closeLast() {
    return open.removeLast();
  }

  /** Gives up all places for replacements. */
  public void closeAll() {
    open.clear();
  }

  /** Places for replacements, as they are now. */
  public List<OpenPlace> open() {
    return List.copyOf(open);
  }

  /** Further nodes for members of that shape; found when it is first asked. */
  public List<String> spares(Demand shape, Function<Demand, List<String>> search) {
    return spares.computeIfAbsent(shape, search);
  }

  /** kube-scheduler has asked about that member since the plan. */
  public void asked(String uid) {
    asked.add(uid);
    rejectedSince.remove(uid);
  }

  /** Whether it has, and has not found since that the member may go nowhere. */
  public boolean wasAsked(String uid) {
    return asked.contains(uid) && !rejectedSince.containsKey(uid);
  }

  public boolean wasAnyAsked() {
    return !asked.isEmpty();
  }

  /** kube-scheduler has found no node for a member that has a place. */
  public void rejected(String uid, Instant now) {
    rejectedSince.putIfAbsent(uid, now);
  }

  /** When that was first seen. */
  public Optional<Instant> rejectedSince(String uid) {
    return Optional.ofNullable(rejectedSince.get(uid));
  }
}
