package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import java.util.Optional;

/**
 * Takes a job's pods from it, and gives it new ones when it may go on: while it is suspended, and
 * between two tries.
 */
final class Suspension {

  private Suspension() {}

  static void follow(Turn turn) {
    if (turn.job.run().suspended() && turn.phase != Phase.SUSPENDED) {
      turn.phase = Phase.SUSPENDED;
      turn.tell(new News.Suspended());
      postpone(turn);
    }
    if (turn.phase != Phase.SUSPENDED && turn.phase != Phase.RESTARTING) {
      return;
    }
    turn.seen.members().forEach(turn::delete);
    boolean mayGoOn = turn.phase == Phase.RESTARTING || !turn.job.run().suspended();
    if (mayGoOn && turn.seen.members().isEmpty()) {
      JobEngine.begin(turn);
    }
  }

  /** What was being carried out waits for its turn again. */
  static void postpone(Turn turn) {
    turn.current().ifPresent(resize -> turn.store(resize.postponed()));
    turn.resizing = Optional.empty();
  }
}
