package io.muster.controller.port;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.WaitingGang;
import java.util.List;
import java.util.Optional;

/**
 * What those who place gangs know of the line and of room, as {@link
 * io.muster.extender.core.protocol.Outlook} says it. Answered from memory; while they cannot tell,
 * nobody waits and nothing fits. Safe for concurrent use.
 */
public interface ResizeAdvice {

  /** Gangs that wait though enough of their members are there, in the order of the line. */
  List<WaitingGang> waiting();

  /** Why there is no room for that gang; empty if it does not wait so. */
  Optional<Shortage> shortage(GangId gang);

  /** Nodes for one more pod like each of these; empty if there is not room for all. */
  Optional<List<String>> places(List<String> podUids);

  /** Whether a waiting gang has a member that could be on one of these nodes, were it empty. */
  boolean couldUse(GangId gang, List<String> nodes);

  /** Whether a waiting gang would fit if these pods were gone. */
  boolean fitsWithout(GangId gang, List<String> podUids);

  /** A job lets workers go for that gang: nobody else is to be ended for it meanwhile. */
  void isGivenRoom(GangId gang);
}
