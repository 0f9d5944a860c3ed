package io.muster.controller.port;

import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.View.OnlinePod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.util.List;
import java.util.Optional;

/**
 * What those who place gangs know of the line and of room, as {@link
 * io.muster.extender.core.decision.forecast.PlacementQueries} says it. Answered from memory; while
 * they cannot tell, nobody waits and nothing fits. Safe for concurrent use.
 */
public interface ResizeAdvice {

  /** Gangs that wait though enough of their members are there, in the order of the line. */
  List<WaitingGang> waiting();

  /** Why there is no room for that gang; empty if it does not wait so. */
  Optional<Shortage> shortage(GangId gang);

  /** Pods without a gang that have been there for a moment and have no node. */
  List<OnlinePod> online();

  /** What fits where; its gangs are written as {@link GangNames} does. */
  CapacityOracle room();

  /** A job lets workers go for that gang: nobody else is to be ended for it meanwhile. */
  void isGivenRoom(GangId gang);
}
