package io.muster.extender.kube.gang;

import io.muster.extender.core.gang.GangId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which Gang objects exist, fed by the writer of the objects and by their watch. A hint that saves
 * reads: a wrong entry costs one refused write. Safe for concurrent use.
 */
public final class GangDirectory {

  private final Map<GangId, KnownGang> objects = new ConcurrentHashMap<>();

  /** The object of the gang, as last seen. */
  public Optional<KnownGang> find(GangId gang) {
    return Optional.ofNullable(objects.get(gang));
  }

  /** Notes what a write or a read has just shown. */
  public void put(GangId gang, KnownGang object) {
    objects.put(gang, object);
  }

  /** Notes what the watch shows, which may be older than what our own writes have shown. */
  public void putIfAbsent(GangId gang, KnownGang object) {
    objects.putIfAbsent(gang, object);
  }

  /** Notes that the object is gone. */
  public void remove(GangId gang) {
    objects.remove(gang);
  }

  /** Notes that the object of that uid is gone, unless another has taken its place. */
  public void remove(GangId gang, String uid) {
    objects.computeIfPresent(gang, (_, known) -> known.uid().equals(uid) ? null : known);
  }
}
