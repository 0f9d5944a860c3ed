package io.muster.controller.core.engine;

import io.muster.controller.core.state.JobState.Phase;
import java.util.Optional;

/**
 * Takes a job's pods from it, and gives it new ones when it may go on: while it is suspended, and
 * between two tries.
 */
final class Suspension {

  private Suspension() {}

  static void follow(ReconcileContext context) {
    if (context.job.run().suspended() && context.phase != Phase.SUSPENDED) {
      context.phase = Phase.SUSPENDED;
      context.tell(new News.Suspended());
      postpone(context);
    }
    if (context.phase != Phase.SUSPENDED && context.phase != Phase.RESTARTING) {
      return;
    }
    context.seen.members().forEach(context::delete);
    boolean mayGoOn = context.phase == Phase.RESTARTING || !context.job.run().suspended();
    if (mayGoOn && context.seen.members().isEmpty()) {
      JobEngine.begin(context);
    }
  }

  /** What was being carried out waits for its context again. */
  static void postpone(ReconcileContext context) {
    context.current().ifPresent(resize -> context.store(resize.postponed()));
    context.resizing = Optional.empty();
  }
}
