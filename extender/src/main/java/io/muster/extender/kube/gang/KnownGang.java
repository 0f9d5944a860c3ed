package io.muster.extender.kube.gang;

import java.util.Objects;
import java.util.Optional;

/**
 * What is known of a Gang object in the cluster, so that most writes need no read. The stored
 * status is empty until one has been written. Immutable.
 *
 * @param objectName name of the object, which may differ from the gang's
 * @param resourceVersion of the last version seen; may be behind
 */
public record KnownGang(
    String objectName,
    String uid,
    String resourceVersion,
    int minAvailable,
    Optional<GangStatus> status) {

  /** What a version of the object shows. */
  public static KnownGang of(Gang gang) {
    var spec = gang.getSpec();
    return new KnownGang(
        gang.getMetadata().getName(),
        Objects.requireNonNullElse(gang.getMetadata().getUid(), ""),
        Objects.requireNonNullElse(gang.getMetadata().getResourceVersion(), ""),
        spec == null || spec.minAvailable() == null ? 0 : spec.minAvailable(),
        Optional.ofNullable(gang.getStatus()).filter(status -> status.phase() != null));
  }

  /** Whether exactly this state is stored, whenever its phase was reached. */
  public boolean stores(GangStatus wanted) {
    return status.map(wanted::saysTheSameAs).orElse(false);
  }

  /** Whether somebody with a later epoch or incarnation has written since. */
  public boolean isAheadOf(GangStatus wanted) {
    long wantedIncarnation = Objects.requireNonNullElse(wanted.incarnation(), 0L);
    long wantedEpoch = Objects.requireNonNullElse(wanted.epoch(), 0L);
    return incarnation() > wantedIncarnation
        || (incarnation() == wantedIncarnation && epoch() > wantedEpoch);
  }

  /** Of the stored status; 0 without one, or where somebody else has written it. */
  public long incarnation() {
    return status.flatMap(stored -> GangObjects.counted(stored.incarnation())).orElse(0L);
  }

  /** Of the stored status; 0 without one. */
  public long epoch() {
    return status.flatMap(stored -> GangObjects.counted(stored.epoch())).orElse(0L);
  }

  /** The wanted status with its time of transition, the stored one if the phase stays. */
  public GangStatus dated(GangStatus wanted, String now) {
    return wanted.after(status, now);
  }
}
