package io.muster.controller.core.engine;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import java.time.Instant;

/**
 * Makes good what a reconcile has left that was cut off between its writes: where the job stands is
 * stored first, then how far its requests have come.
 */
final class CrashRecovery {

  private CrashRecovery() {}

  static void mend(ReconcileContext context) {
    if (context.phase.isEnd()) {
      return;
    }
    boolean hasNotBegun =
        context.phase == Phase.SCALING
            && context.current().filter(resize -> resize.stage() == Stage.WAITING).isPresent();
    if (hasNotBegun) {
      context.endScaling();
    }
    for (var resize : context.resizes()) {
      boolean isUnderWay = resize.stage() == Stage.SCALING || resize.stage() == Stage.TOLD;
      if (isUnderWay && context.current().filter(resize::equals).isEmpty()) {
        settle(context, resize);
      }
    }
  }

  /** The job has ended it or put it off. */
  private static void settle(ReconcileContext context, Resize resize) {
    if ((context.phase != Phase.RUNNING && context.phase != Phase.SCALING)
        || Resizing.isAway(context, resize)) {
      context.store(resize.postponed());
    } else if (isDone(context, resize)) {
      context.succeed(resize, false);
    } else {
      context.fail(resize, fault(context, resize));
    }
  }

  private static boolean isDone(ReconcileContext context, Resize resize) {
    var role = Resizing.role(context, resize);
    var members = context.targetNames(role);
    return switch (resize.request().change()) {
      case Change.Remove _, Change.RemoveNamed _ ->
          resize.plan().stream().noneMatch(members::contains);
      case Change.Add _, Change.AddLost _, Change.Unclear _ -> members.containsAll(resize.plan());
      case Change.To(int size) -> context.counted(role).size() == size;
    };
  }

  /** Why it must have failed, as far as that still shows. */
  private static ResizeFault fault(ReconcileContext context, Resize resize) {
    var ended = context.members(resize.plan()).filter(Member::hasEndedByItself).findFirst();
    var leaving = resize.plan().stream().filter(context::isLeaving).toList();
    if (ended.isPresent()) {
      return new ResizeFault.MemberEnded(ended.get().name());
    } else if (!leaving.isEmpty()) {
      return new ResizeFault.NodesLeaving(leaving);
    }
    var due = resize.startedAt().orElse(Instant.MIN).plus(resize.request().timeout());
    return resize.request().script().isPresent() && context.now.isBefore(due)
        ? new ResizeFault.ScriptFailed("its script has failed")
        : new ResizeFault.TimedOut();
  }
}
