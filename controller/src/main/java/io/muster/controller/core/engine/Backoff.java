package io.muster.controller.core.engine;

import io.muster.controller.core.job.Role;
import java.time.Duration;

/**
 * Slows down who is made in place of lost members, so that those that fail as soon as they run do
 * not churn: the first within an hour comes at once, the next after ten seconds, each further one
 * after twice as long, five minutes at most.
 */
final class Backoff {

  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int MOST_DOUBLINGS = 5;

  private Backoff() {}

  /** One more is lost and to be recreated. */
  static void count(ReconcileContext context, Role role) {
    if (role.recovery().isPaced()) {
      context.noteReplacement(role);
    }
  }

  /** Whether one may be made now; the job is reconciled again when it may. */
  static boolean allows(ReconcileContext context, Role role) {
    var times = context.replacedLately(role);
    if (!role.recovery().isPaced() || times.size() < 2) {
      return true;
    }
    var pause = FIRST.multipliedBy(1L << Math.min(times.size() - 2, MOST_DOUBLINGS));
    return context.isDue(times.getLast().plus(pause.compareTo(LONGEST) > 0 ? LONGEST : pause));
  }
}
