package io.muster.controller.core.engine;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.RestartRound;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides what is next for a job of any kind, from what it wants, where it stands and what can be
 * seen. Reconciling twice decides the same; a reconcile that was cut off anywhere is made good by
 * the next, for what is to be done follows from what there is, and what cannot be seen is stored
 * before it is acted on. Pure: the same arguments give the same outcome. Safe for concurrent use.
 */
public final class JobEngine {

  private JobEngine() {}

  /**
   * Reconciles a job once.
   *
   * @param resizes all that are asked for, those that have ended included
   */
  public static Outcome reconcile(
      Job job, JobState state, List<Resize> resizes, Observed seen, Instant now) {
    var context = new ReconcileContext(job, state, resizes, seen, now);
    notice(context);
    CrashRecovery.mend(context);
    if (context.phase == Phase.NEW) {
      accept(context);
    }
    Ending.checkTime(context);
    if (!context.phase.isEnd()) {
      Suspension.follow(context);
    }
    switch (context.phase) {
      case STARTING -> {
        SpecReplicas.retire(context);
        Start.advance(context);
      }
      case RUNNING, SCALING -> {
        SpecReplicas.retire(context);
        Resizing.giveUp(context);
        RequestedReplicas.advance(context);
        if (!context.phase.isEnd() && context.phase != Phase.RESTARTING) {
          Resizing.advance(context);
        }
      }
      case NEW, RESTARTING, SUSPENDED, SUCCEEDED, FAILED -> {}
    }
    SpecReplicas.settle(context);
    if (context.phase.isEnd()) {
      Ending.advance(context);
    }
    return context.outcome();
  }

  private static void notice(ReconcileContext context) {
    for (var resize : context.resizes()) {
      if (resize.stage() == Stage.NEW) {
        context.store(resize.at(Stage.WAITING));
        context.tell(new News.ResizeNoticed(resize.request().id()));
      }
    }
  }

  private static void accept(ReconcileContext context) {
    context.startedAt = Optional.of(context.now);
    context.tell(new News.Accepted());
    if (context.job.problems().isEmpty()) {
      begin(context);
    } else {
      Ending.fail(context, News.Failed.Cause.INVALID, String.join("; ", context.job.problems()));
    }
  }

  /** A life of the job begins, with every role at its first size; none that nobody could hold. */
  static void begin(ReconcileContext context) {
    var excess = context.job.excess();
    if (excess.isPresent()) {
      Ending.fail(context, News.Failed.Cause.INVALID, excess.get());
      return;
    }
    context.phase = Phase.STARTING;
    context.passed.clear();
    context.targets.clear();
    context.unseen.clear();
    context.burnt.clear();
    context.owed.clear();
    context.mending = context.mending.at(RestartRound.Stage.WELL);
    context.forgetMembers();
    for (var role : context.job.roles()) {
      if (role.range().isFollowed()) {
        SpecReplicas.fill(context, role);
      } else {
        for (int index = 0; index < role.range().start(); index++) {
          context.assign(role, index);
        }
      }
      if (isSized(role)) {
        context.asked.put(role.name(), role.range().start());
      }
    }
  }

  /** Whether the role can become larger or smaller by being asked. */
  static boolean isSized(Role role) {
    return role.isNumbered() && !role.decides() && !role.range().isFollowed();
  }
}
