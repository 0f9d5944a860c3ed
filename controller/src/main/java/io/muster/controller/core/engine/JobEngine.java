package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.Resize.Stage;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Role;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides what is next for a job of any kind, from what it wants, where it stands and what can be
 * seen. Looking twice decides the same; a look that was cut off anywhere is made good by the next,
 * for what is to be done follows from what there is, and what cannot be seen is stored before it is
 * acted on. Pure: the same arguments give the same outcome. Safe for concurrent use.
 */
public final class JobEngine {

  private JobEngine() {}

  /**
   * Looks at a job once.
   *
   * @param resizes all that are asked for, those that have ended included
   */
  public static Outcome reconcile(
      Job job, JobState state, List<Resize> resizes, Observed seen, Instant now) {
    var turn = new Turn(job, state, resizes, seen, now);
    notice(turn);
    CutOff.mend(turn);
    if (turn.phase == Phase.NEW) {
      accept(turn);
    }
    Ending.checkTime(turn);
    if (!turn.phase.isEnd()) {
      Suspension.follow(turn);
    }
    switch (turn.phase) {
      case STARTING -> Start.advance(turn);
      case RUNNING, SCALING -> {
        Upkeep.advance(turn);
        if (!turn.phase.isEnd() && turn.phase != Phase.RESTARTING) {
          Resizing.advance(turn);
        }
      }
      case NEW, RESTARTING, SUSPENDED, SUCCEEDED, FAILED -> {}
    }
    Slots.settle(turn);
    if (turn.phase.isEnd()) {
      Ending.advance(turn);
    }
    return turn.outcome();
  }

  private static void notice(Turn turn) {
    for (var resize : turn.resizes()) {
      if (resize.stage() == Stage.NEW) {
        turn.store(resize.at(Stage.WAITING));
        turn.tell(new News.ResizeNoticed(resize.request().id()));
      }
    }
  }

  private static void accept(Turn turn) {
    turn.startedAt = Optional.of(turn.now);
    turn.tell(new News.Accepted());
    if (turn.job.problems().isEmpty()) {
      begin(turn);
    } else {
      Ending.fail(turn, News.Failed.Cause.INVALID, String.join("; ", turn.job.problems()));
    }
  }

  /** A life of the job begins, with every role at its first size; none that nobody could hold. */
  static void begin(Turn turn) {
    var excess = turn.job.excess();
    if (excess.isPresent()) {
      Ending.fail(turn, News.Failed.Cause.INVALID, excess.get());
      return;
    }
    turn.phase = Phase.STARTING;
    turn.passed.clear();
    turn.targets.clear();
    turn.unseen.clear();
    turn.burnt.clear();
    turn.owed.clear();
    turn.mending = turn.mending.at(Mending.Stage.WELL);
    turn.forgetMembers();
    for (var role : turn.job.roles()) {
      if (role.range().isFollowed()) {
        Slots.fill(turn, role);
      } else {
        for (int index = 0; index < role.range().start(); index++) {
          turn.assign(role, index);
        }
      }
      if (isSized(role)) {
        turn.asked.put(role.name(), role.range().start());
      }
    }
  }

  /** Whether the role can become larger or smaller by being asked. */
  static boolean isSized(Role role) {
    return role.isNumbered() && !role.decides() && !role.range().isFollowed();
  }
}
