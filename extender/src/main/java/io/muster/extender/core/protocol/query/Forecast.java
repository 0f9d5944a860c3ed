package io.muster.extender.core.protocol.query;

import io.muster.extender.core.gang.GangId;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What would become of pods that nobody has made yet, were they made now. Each sentence is for
 * users, and byte-stable for the same state. Immutable.
 */
public sealed interface Forecast {

  /** Why. */
  String sentence();

  /** Whether that gang is one that would have to end first. */
  default boolean isAfter(GangId gang) {
    return this instanceof AfterGangs(var gangs, _)
        && gangs.stream().anyMatch(running -> running.gang().equals(gang));
  }

  /**
   * They would start at once.
   *
   * @param places how many members the planner would put on which node, of all that must start
   *     together
   */
  record Now(String sentence, SortedMap<String, Integer> places) implements Forecast {
    public Now {
      places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
    }
  }

  /**
   * They would start once these gangs have ended, and not before.
   *
   * @param sentence why not now
   */
  record AfterGangs(List<Running> gangs, String sentence) implements Forecast {
    public AfterGangs {
      gangs = List.copyOf(gangs);
    }
  }

  /**
   * The end of all gangs would not do: pods of no gang take the room.
   *
   * @param sentence why not now
   */
  record AfterOthers(String sentence) implements Forecast {}

  /**
   * The end of all pods would not do: nodes that are cordoned or not ready are needed.
   *
   * @param sentence why not on the others, however empty
   */
  record AfterNodes(String sentence) implements Forecast {}

  /** Their queue would let them wait, whatever room there is. */
  record Withheld(String sentence) implements Forecast {}

  /** Whatever ends. */
  record Never(Cause cause, String sentence) implements Forecast {

    /** What would have to be otherwise. */
    public enum Cause {
      /** The pods: they cannot start as they stand. */
      PODS,
      /** The queue that they name, or its bounds. */
      QUEUE,
      /** The nodes: there is no room even while they are empty. */
      NODES
    }
  }

  /**
   * A gang that holds room.
   *
   * @param since when its first member was made
   */
  record Running(GangId gang, Instant since) {}
}
