package io.muster.extender.core.decision.burst;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.GangRecord.Place;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who of one gang is to be bound to which node, as it is stored with the gang before the first
 * Binding goes out. Each version that is written has an epoch of its own, and at most one is on its
 * way at a time. Confined to the decision thread.
 */
public final class BindingRecord {

  private final Map<String, Place> places = new LinkedHashMap<>();
  private long epoch;
  private boolean pending;
  private boolean stored;

  /** What was found stored; nothing of it is known to be the latest yet. */
  public void find(long storedEpoch) {
    epoch = storedEpoch;
  }

  /** Places that were found stored. */
  public void find(Map<String, Place> storedPlaces) {
    places.putAll(storedPlaces);
  }

  public void enter(Pod pod, String node) {
    places.put(pod.key().uid(), new Place(pod.key().name(), node));
  }

  /** Those that are on their nodes. */
  public void enter(List<Pod> bound) {
    bound.forEach(pod -> enter(pod, pod.progress().nodeName().orElseThrow()));
  }

  public void remove(String uid) {
    places.remove(uid);
  }

  /** Names nobody; what of it was stored or is on its way is as before. */
  public void clear() {
    places.clear();
  }

  /** The same, and an answer that is still to come counts no more. */
  public void abandon() {
    places.clear();
    pending = false;
    stored = false;
  }

  /** It is written as it stands now: the answer for the epoch after this one is awaited. */
  public void sent() {
    epoch++;
    pending = true;
    stored = false;
  }

  /** Takes the answer to a write in; false for any but the one that is awaited. */
  public boolean answered(long answeredEpoch, boolean isStored) {
    if (!pending || answeredEpoch != epoch) {
      return false;
    }
    pending = false;
    stored = isStored;
    return true;
  }

  /** An earlier life of Muster has stored it, and nobody else can change it any more. */
  public void trust() {
    stored = !places.isEmpty();
  }

  /** An earlier life of Muster has stored it, but may be changing it. */
  public void distrust() {
    stored = false;
  }

  public long epoch() {
    return epoch;
  }

  /** Whether it is being written. */
  public boolean isPending() {
    return pending;
  }

  /** Whether it is stored as it stood when it was written last. */
  public boolean isStored() {
    return stored;
  }

  public boolean isEmpty() {
    return places.isEmpty();
  }

  public int size() {
    return places.size();
  }

  public boolean names(String uid) {
    return places.containsKey(uid);
  }

  public Optional<String> node(String uid) {
    return Optional.ofNullable(places.get(uid)).map(Place::node);
  }

  /** The members that it names, as they change. */
  public Set<String> uids() {
    return Collections.unmodifiableSet(places.keySet());
  }

  /** Places by uid, as they change. */
  public Map<String, Place> places() {
    return Collections.unmodifiableMap(places);
  }
}
