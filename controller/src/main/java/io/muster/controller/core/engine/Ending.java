package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.News.Failed.Cause;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import java.util.Optional;
import java.util.Set;

/** Ends a job, or has it start again as a whole, and clears up behind it. */
final class Ending {

  private static final Set<Cause> WORTH_ANOTHER_TRY =
      Set.of(Cause.MEMBER, Cause.EVICTED, Cause.TOO_FEW);

  private Ending() {}

  /** Ends a job that has waited or run too long. */
  static void checkTime(Turn turn) {
    if (turn.phase.isEnd() || turn.phase == Phase.NEW) {
      return;
    }
    var start = turn.startedAt.orElse(turn.now);
    var run = turn.job.run();
    if (run.runAtMost().filter(limit -> turn.isDue(start.plus(limit))).isPresent()) {
      fail(
          turn,
          Cause.DEADLINE,
          "it has not ended within %d s".formatted(run.runAtMost().get().toSeconds()));
    } else if (turn.phase == Phase.STARTING
        && run.waitAtMost().filter(limit -> turn.isDue(start.plus(limit))).isPresent()) {
      fail(
          turn,
          Cause.WAITED,
          "its members have not run together within %d s"
              .formatted(run.waitAtMost().get().toSeconds()));
    }
  }

  static void succeed(Turn turn) {
    turn.phase = Phase.SUCCEEDED;
    turn.endedAt = Optional.of(turn.now);
    turn.tell(new News.Succeeded());
  }

  static void fail(Turn turn, Cause cause, String message) {
    if (WORTH_ANOTHER_TRY.contains(cause) && turn.restarts < turn.job.run().restarts()) {
      turn.restarts++;
      turn.phase = Phase.RESTARTING;
      turn.tell(new News.Restarted(turn.restarts));
      Suspension.postpone(turn);
      turn.seen.members().forEach(turn::delete);
      return;
    }
    turn.phase = Phase.FAILED;
    turn.endedAt = Optional.of(turn.now);
    turn.tell(new News.Failed(cause, message));
  }

  /** Clears up, once and again until nothing is left to clear. */
  static void advance(Turn turn) {
    turn.resizes().stream()
        .filter(resize -> !resize.stage().isEnd())
        .forEach(resize -> turn.fail(resize, new ResizeFault.JobEnded()));
    turn.resizing = Optional.empty();
    var cleanUp = turn.job.run().cleanUp();
    for (var member : turn.seen.members()) {
      boolean decides = turn.job.role(member.role()).decides();
      if (cleanUp == CleanUp.ALL
          || (cleanUp == CleanUp.ALL_UNFINISHED && !member.hasEnded())
          || (cleanUp == CleanUp.UNFINISHED && !decides && !member.hasEnded())) {
        turn.delete(member);
      }
    }
    turn.job
        .run()
        .keepFor()
        .ifPresent(time -> {
          if (turn.isDue(turn.endedAt.orElse(turn.now).plus(time))) {
            turn.act(new Action.Remove());
          }
        });
  }
}
