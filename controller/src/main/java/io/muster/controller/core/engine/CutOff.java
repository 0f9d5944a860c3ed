package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.Resize.Stage;
import io.muster.controller.core.job.ResizeRequest.Change;
import java.time.Instant;
import java.util.Optional;

/**
 * Makes good what a look has left that was cut off between its writes: where the job stands is
 * stored first, then how far its requests have come.
 */
final class CutOff {

  private CutOff() {}

  static void mend(Turn turn) {
    if (turn.phase.isEnd()) {
      return;
    }
    boolean hasNotBegun =
        turn.phase == Phase.SCALING
            && turn.current().filter(resize -> resize.stage() == Stage.WAITING).isPresent();
    if (hasNotBegun) {
      turn.resizing = Optional.empty();
      turn.phase = Phase.RUNNING;
    }
    for (var resize : turn.resizes()) {
      boolean isUnderWay = resize.stage() == Stage.SCALING || resize.stage() == Stage.TOLD;
      if (isUnderWay && turn.current().filter(resize::equals).isEmpty()) {
        settle(turn, resize);
      }
    }
  }

  /** The job has ended it or put it off. */
  private static void settle(Turn turn, Resize resize) {
    if (turn.phase != Phase.RUNNING && turn.phase != Phase.SCALING) {
      turn.store(resize.postponed());
    } else if (isDone(turn, resize)) {
      turn.store(resize.ended(Stage.SUCCEEDED, turn.now));
      turn.tell(new News.ResizeSucceeded(resize.request().id(), false));
    } else {
      turn.fail(resize, fault(turn, resize));
    }
  }

  private static boolean isDone(Turn turn, Resize resize) {
    var members = turn.targetNames(Resizing.role(turn, resize));
    return switch (resize.request().change()) {
      case Change.Remove _, Change.RemoveNamed _ ->
          resize.plan().stream().noneMatch(members::contains);
      case Change.Add _, Change.AddLost _, Change.Unclear _ -> members.containsAll(resize.plan());
      case Change.To(int size) -> turn.counted(Resizing.role(turn, resize)).size() == size;
    };
  }

  /** Why it must have failed, as far as that still shows. */
  private static ResizeFault fault(Turn turn, Resize resize) {
    var there = resize.plan().stream().flatMap(name -> turn.member(name).stream()).toList();
    var ended = there.stream().filter(Member::hasEnded).findFirst();
    var leaving = resize.plan().stream().filter(turn::isLeaving).toList();
    if (ended.isPresent()) {
      return new ResizeFault.MemberEnded(ended.get().name());
    } else if (!leaving.isEmpty()) {
      return new ResizeFault.NodesLeaving(leaving);
    }
    var due = resize.startedAt().orElse(Instant.MIN).plus(resize.request().timeout());
    return resize.request().script().isPresent() && turn.now.isBefore(due)
        ? new ResizeFault.ScriptFailed("its script has failed")
        : new ResizeFault.TimedOut();
  }
}
