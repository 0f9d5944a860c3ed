package io.muster.controller.core.engine;

import io.muster.controller.core.job.Role;
import java.time.Instant;
import java.util.Optional;

/**
 * Limits how many members are made in place of lost ones within any hour, so that members that fail
 * as soon as they run do not burn a cluster. What was spent outlives the controller, and the job's
 * start as a whole.
 */
final class RestartBudget {

  private RestartBudget() {}

  /** Counts one more, if that is within the limit; says when it will be, if it is not. */
  static boolean spend(ReconcileContext context, Role role) {
    if (role.recovery().anHour() == Integer.MAX_VALUE) {
      return true;
    }
    var spent = context.replacedLately(role);
    int limit = role.recovery().anHour();
    if (spent.size() < limit) {
      context.noteReplacement(role);
      return true;
    }
    Optional<Instant> until =
        limit == 0
            ? Optional.empty()
            : Optional.of(spent.get(spent.size() - limit).plus(ReconcileContext.REMEMBERED));
    until.ifPresent(context::lookAgainAt);
    context.tell(new News.BudgetSpent(role.name(), limit, until));
    return false;
  }
}
