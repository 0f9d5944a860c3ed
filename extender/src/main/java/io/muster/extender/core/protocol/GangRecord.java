package io.muster.extender.core.protocol;

import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is stored of a gang so that another life of Muster can go on. Immutable.
 *
 * @param incarnation counts the lives of the gang under its name, from 1
 * @param epoch grows with each record written; names a burst
 * @param minAvailable 0 while no member states usable terms
 * @param placement uid of each placed member to its place, as far as recorded
 * @param satisfied whether minAvailable members of this incarnation have once been bound
 * @param limitReached that it has run for its run-time limit, and is not started again
 * @param ending whether members of an earlier incarnation have been told to end, and are there yet
 */
public record GangRecord(
    GangId gang,
    long incarnation,
    long epoch,
    Phase phase,
    int minAvailable,
    boolean satisfied,
    Map<String, Place> placement,
    Optional<String> controllerUid,
    Optional<LimitReached> limitReached,
    boolean ending) {

  public GangRecord {
    placement = Collections.unmodifiableMap(new TreeMap<>(placement));
  }

  /** One that ends nobody. */
  public GangRecord(
      GangId gang,
      long incarnation,
      long epoch,
      Phase phase,
      int minAvailable,
      boolean satisfied,
      Map<String, Place> placement,
      Optional<String> controllerUid,
      Optional<LimitReached> limitReached) {
    this(
        gang,
        incarnation,
        epoch,
        phase,
        minAvailable,
        satisfied,
        placement,
        controllerUid,
        limitReached,
        false);
  }

  /** The same once it has reached its limit. */
  public GangRecord reached(LimitReached limit) {
    return new GangRecord(
        gang,
        incarnation,
        epoch,
        phase,
        minAvailable,
        satisfied,
        placement,
        controllerUid,
        Optional.of(limit),
        ending);
  }

  /** How far a gang has come. */
  public enum Phase {
    WAITING,
    PLANNED,
    BINDING,
    RUNNING,
    BROKEN,
    FINISHED
  }

  /**
   * Its members have run for as long as they may.
   *
   * @param limit that they had then
   * @param controllers uids of the owners that made them
   */
  public record LimitReached(Instant at, Duration limit, Set<String> controllers) {
    public LimitReached {
      controllers = Set.copyOf(controllers);
    }
  }

  /** A recorded member and its node. */
  public record Place(String podName, String node) {}
}
