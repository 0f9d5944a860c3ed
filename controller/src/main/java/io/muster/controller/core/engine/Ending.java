package io.muster.controller.core.engine;

import io.muster.controller.core.engine.News.Failed.Cause;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.ResizeFault;
import java.util.Optional;
import java.util.Set;

/** Ends a job, or has it start again as a whole, and clears up behind it. */
final class Ending {

  private static final Set<Cause> WORTH_ANOTHER_TRY =
      Set.of(Cause.MEMBER, Cause.EVICTED, Cause.TOO_FEW);

  private Ending() {}

  /** Ends a job that has waited or run too long. */
  static void checkTime(ReconcileContext context) {
    if (context.phase.isEnd() || context.phase == Phase.NEW) {
      return;
    }
    var start = context.startedAt.orElse(context.now);
    var run = context.job.run();
    context.waitsSince =
        context.phase == Phase.STARTING && !run.held() && !run.suspended()
            ? context.waitsSince.or(() -> Optional.of(context.now))
            : Optional.empty();
    if (run.runAtMost().filter(limit -> context.isDue(start.plus(limit))).isPresent()) {
      fail(
          context,
          Cause.DEADLINE,
          "it has not ended within %d s".formatted(run.runAtMost().get().toSeconds()));
    } else if (context.waitsSince.isPresent()
        && run.waitAtMost()
            .filter(limit -> context.isDue(context.waitsSince.get().plus(limit)))
            .isPresent()) {
      fail(
          context,
          Cause.WAITED,
          "its members have not run together within %d s"
              .formatted(run.waitAtMost().get().toSeconds()));
    }
  }

  static void succeed(ReconcileContext context) {
    context.phase = Phase.SUCCEEDED;
    context.endedAt = Optional.of(context.now);
    context.tell(new News.Succeeded());
  }

  static void fail(ReconcileContext context, Cause cause, String message) {
    if (WORTH_ANOTHER_TRY.contains(cause) && context.restarts < context.job.run().restarts()) {
      context.restarts++;
      context.phase = Phase.RESTARTING;
      context.tell(new News.Restarted(context.restarts));
      Suspension.postpone(context);
      context.seen.members().forEach(context::delete);
      return;
    }
    context.phase = Phase.FAILED;
    context.endedAt = Optional.of(context.now);
    context.tell(new News.Failed(cause, message));
  }

  /** Clears up, once and again until nothing is left to clear. */
  static void advance(ReconcileContext context) {
    context.resizes().stream()
        .filter(resize -> !resize.stage().isEnd())
        .forEach(resize -> context.fail(resize, new ResizeFault.JobEnded()));
    context.resizing = Optional.empty();
    var cleanUp = context.job.run().cleanUp();
    for (var member : context.seen.members()) {
      // The job may have no such role any more.
      boolean decides =
          context.job.roles().stream()
              .anyMatch(role -> role.decides() && role.name().equals(member.role()));
      if (cleanUp == CleanUp.ALL
          || (cleanUp == CleanUp.ALL_UNFINISHED && !member.hasEnded())
          || (cleanUp == CleanUp.UNFINISHED && !decides && !member.hasEnded())) {
        context.delete(member);
      }
    }
    var end = context.endedAt.orElse(context.now);
    if (context.job.run().keepFor().filter(time -> context.isDue(end.plus(time))).isPresent()) {
      context.act(new Action.Remove());
    }
  }
}
