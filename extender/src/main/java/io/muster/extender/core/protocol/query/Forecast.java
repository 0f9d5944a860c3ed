package io.muster.extender.core.protocol.query;

import io.muster.extender.core.gang.GangId;
import java.time.Instant;
import java.util.List;

/**
 * What would become of pods that nobody has made yet, were they made now. Each sentence is for
 * users, and byte-stable for the same state. Immutable.
 */
public sealed interface Forecast {

  /** Why. */
  String sentence();

  /** They would start at once. */
  record Now(String sentence) implements Forecast {}

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

  /** Their queue would let them wait, whatever room there is. */
  record Withheld(String sentence) implements Forecast {}

  /** Not even if the nodes as they are were empty. */
  record Never(String sentence) implements Forecast {}

  /**
   * A gang that holds room.
   *
   * @param since when its first member was made
   */
  record Running(GangId gang, Instant since) {}
}
