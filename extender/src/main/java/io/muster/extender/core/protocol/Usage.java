package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.protocol.query.QueueStanding;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What gangs wait for, keep from others and waste at one moment. Devices are accelerators that
 * Muster manages, of every name, in whole units. Every map has every key of its kind, {@code
 * waiting} those of {@link Reason#ofWaiting}. Immutable.
 *
 * @param waiting gangs that hold nothing and wait, by reason
 * @param oldestWaiting since the oldest of them was created; zero if none waits
 * @param oldestPlan since the oldest reservation was made whose gang is not being bound yet; zero
 *     if there is none
 * @param reserved devices on which no pod runs though they are taken
 * @param delayed gangs that could be running
 * @param queues as they stand, by name; none where none is configured
 * @param asked of all pods that have not ended, waiting pods included
 * @param offered by the nodes that accept pods
 * @param freeDevices what is left on available nodes
 * @param strandedDevices of these, what the average member that waits cannot use because too little
 *     is left beside it on its node; rounded down
 */
public record Usage(
    Map<Reason, Integer> waiting,
    Duration oldestWaiting,
    Duration oldestPlan,
    Map<Holder, Long> reserved,
    Map<Cause, Delayed> delayed,
    List<QueueStanding> queues,
    ResourceSum asked,
    ResourceSum offered,
    long freeDevices,
    long strandedDevices) {

  /** Whom devices are kept for. */
  public enum Holder {
    /** A gang that has not started. */
    INCOMPLETE,
    /** Replacements of lost members. */
    CLAIM
  }

  /**
   * What keeps a gang from running that has room: places of its own, or as many free devices in all
   * as it asks for, when those go to the gangs by their age.
   */
  public enum Cause {
    /** Members are still to be made. */
    ASSEMBLY,
    /** The free devices are not where its members may go, together. */
    FRAGMENTATION,
    /** An attempt failed and the next one is held off. */
    HOLD_OFF,
    /** Places are reserved, members have not arrived. */
    BARRIER,
    /** The record and the Bindings are being written. */
    BINDING,
    /** Bindings were cut off and are being completed or undone. */
    REPAIR
  }

  /**
   * Gangs with one cause.
   *
   * @param devices what they hold without a pod on it, or would take
   */
  public record Delayed(int gangs, long devices) {

    /** No gang. */
    public static final Delayed NONE = new Delayed(0, 0);

    /** With one gang more, that is to have so many devices. */
    public Delayed and(long more) {
      return new Delayed(gangs + 1, devices + more);
    }
  }

  /** Nothing at all. */
  public static final Usage NONE =
      new Usage(
          Map.of(),
          Duration.ZERO,
          Duration.ZERO,
          Map.of(),
          Map.of(),
          List.of(),
          ResourceSum.NONE,
          ResourceSum.NONE,
          0,
          0);

  public Usage {
    waiting = filled(Reason.class, waiting, 0);
    waiting.keySet().retainAll(Reason.ofWaiting());
    waiting = Map.copyOf(waiting);
    reserved = Map.copyOf(filled(Holder.class, reserved, 0L));
    queues = List.copyOf(queues);
    delayed = Map.copyOf(filled(Cause.class, delayed, Delayed.NONE));
  }

  private static <K extends Enum<K>, V> Map<K, V> filled(Class<K> kind, Map<K, V> known, V none) {
    var all = new EnumMap<K, V>(kind);
    for (var key : kind.getEnumConstants()) {
      all.put(key, known.getOrDefault(key, none));
    }
    return all;
  }
}
