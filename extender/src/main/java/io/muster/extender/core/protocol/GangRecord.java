package io.muster.extender.core.protocol;

import io.muster.extender.core.gang.GangId;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is stored of a gang so that another life of Muster can go on. Immutable.
 *
 * @param incarnation counts the lives of the gang under its name, from 1
 * @param epoch grows with each record written; names a burst
 * @param minAvailable 0 while no member states usable terms
 * @param placement uid of each placed member to its place, as far as recorded
 * @param satisfied whether minAvailable members of this incarnation have once been bound
 */
public record GangRecord(
    GangId gang,
    long incarnation,
    long epoch,
    Phase phase,
    int minAvailable,
    boolean satisfied,
    Map<String, Place> placement,
    Optional<String> controllerUid) {

  public GangRecord {
    placement = Collections.unmodifiableMap(new TreeMap<>(placement));
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

  /** A recorded member and its node. */
  public record Place(String podName, String node) {}
}
