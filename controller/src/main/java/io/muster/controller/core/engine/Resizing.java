package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.Resize.Stage;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Carries resizes out, one at a time and in their order; asks for those that the job's own wishes
 * and leaving nodes call for. Every step can be taken again.
 */
final class Resizing {

  private Resizing() {}

  static boolean isRemoval(Turn turn, Resize resize) {
    return switch (resize.request().change()) {
      case Change.Remove _, Change.RemoveNamed _ -> true;
      case Change.Add _, Change.AddLost _, Change.Unclear _ -> false;
      // Those that come are no targets before they have come.
      case Change.To _ ->
          !resize.plan().isEmpty()
              && turn.targetNames(role(turn, resize)).containsAll(resize.plan());
    };
  }

  /** Whether all its new members run, so that the job may be told of them. */
  static boolean joins(Turn turn, Resize resize) {
    return !isRemoval(turn, resize)
        && (resize.stage() == Stage.SCALING || resize.stage() == Stage.TOLD)
        && !resize.plan().isEmpty()
        && resize.plan().stream()
            .allMatch(name -> turn.member(name).filter(Member::isUp).isPresent());
  }

  static void advance(Turn turn) {
    if (turn.phase == Phase.SCALING && turn.current().filter(r -> !r.stage().isEnd()).isEmpty()) {
      giveUp(turn);
    }
    if (turn.phase == Phase.RUNNING) {
      begin(turn);
    }
    turn.current()
        .ifPresent(resize -> {
          if (isRemoval(turn, resize)) {
            ScaleIn.advance(turn, resize);
          } else {
            ScaleOut.advance(turn, resize);
          }
        });
    deleteStrays(turn);
    Wishes.ask(turn);
  }

  private static void begin(Turn turn) {
    for (var resize : turn.resizes()) {
      if (resize.stage() != Stage.WAITING || turn.resizing.isPresent()) {
        continue;
      }
      var role = turn.job.role(resize.request().role());
      if (role.pause() != Role.Pause.NONE) {
        continue;
      }
      var settled =
          switch (resize.request().change()) {
            case Change.Unclear(String problem) ->
                new Settled.Refused(new ResizeFault.Unclear(problem));
            case Change.Add(int count) -> ScaleOut.plan(turn, role, count);
            case Change.AddLost(int count) -> again(turn, role, count);
            case Change.To(int size) -> to(turn, role, size);
            case Change.Remove(int count) -> ScaleIn.plan(turn, role, count);
            case Change.RemoveNamed(List<String> names) ->
                ScaleIn.plan(turn, role, names, resize.request().urgent());
          };
      switch (settled) {
        case Settled.Refused(ResizeFault fault) -> turn.fail(resize, fault);
        case Settled.Nothing _ -> {
          turn.store(resize.begun(List.of(), turn.now).ended(Stage.SUCCEEDED, turn.now));
          turn.tell(new News.ResizeSucceeded(resize.request().id(), false));
        }
        case Settled.Plan(List<String> names) -> {
          turn.store(resize.begun(names, turn.now));
          turn.resizing = Optional.of(resize.request().id());
          turn.phase = Phase.SCALING;
          turn.tell(new News.ResizeStarted(resize.request().id()));
        }
      }
    }
  }

  /** Who goes or comes, or why nobody does. */
  sealed interface Settled {

    record Plan(List<String> names) implements Settled {}

    record Refused(ResizeFault fault) implements Settled {}

    /** It has the size that is asked for. */
    record Nothing() implements Settled {}
  }

  private static Settled again(Turn turn, Role role, int count) {
    int more = Math.min(count, turn.lost(role).size());
    return more == 0 ? new Settled.Nothing() : ScaleOut.plan(turn, role, more);
  }

  private static Settled to(Turn turn, Role role, int size) {
    int more = size - turn.counted(role).size();
    if (more == 0) {
      turn.forgetLost(role, Integer.MAX_VALUE);
      return new Settled.Nothing();
    }
    return more > 0 ? ScaleOut.plan(turn, role, more) : ScaleIn.plan(turn, role, -more);
  }

  /** Its request was deleted: whoever is there still stays, whoever is gone is not replaced. */
  private static void giveUp(Turn turn) {
    turn.resizing = Optional.empty();
    turn.phase = Phase.RUNNING;
    for (var role : turn.job.roles()) {
      if (JobEngine.isSized(role)) {
        turn.targets(role)
            .removeIf(index ->
                !turn.unseen(role).contains(index)
                    && turn.member(role.podName(index)).filter(m -> !m.isDeleting()).isEmpty());
      }
    }
  }

  static void finish(Turn turn, Resize resize, boolean wasForced) {
    turn.store(resize.ended(Stage.SUCCEEDED, turn.now));
    turn.tell(new News.ResizeSucceeded(resize.request().id(), wasForced));
    turn.resizing = Optional.empty();
    turn.phase = Phase.RUNNING;
  }

  static void fail(Turn turn, Resize resize, ResizeFault fault) {
    turn.fail(resize, fault);
    turn.resizing = Optional.empty();
    turn.phase = Phase.RUNNING;
  }

  /** Pods made for a resize that failed or is wanted no more, once the job knows them no more. */
  private static void deleteStrays(Turn turn) {
    var kept = new HashSet<String>();
    for (var role : turn.job.roles()) {
      kept.addAll(turn.targetNames(role));
    }
    turn.current().ifPresent(resize -> kept.addAll(resize.plan()));
    for (var member : turn.seen.members()) {
      boolean isStray =
          !kept.contains(member.name()) && member.resize().isPresent() && !member.hasEnded();
      boolean mayBeKnown =
          turn.deciding().filter(Member::isUp).isPresent()
              && turn.seen.told().filter(told -> !told.contains(member.name())).isEmpty();
      if (isStray && !mayBeKnown) {
        turn.delete(member);
      }
    }
  }

  /** How the script of a resize stands: started if need be; its fault if it has failed for good. */
  static Scripted script(Turn turn, Resize resize) {
    var id = resize.request().id();
    var end = Optional.ofNullable(turn.seen.scripts().get(id));
    if (end.isPresent() && end.get().fault().isEmpty()) {
      return new Scripted.Done();
    }
    var retries = resize.request().script().orElseThrow().retries();
    if (end.isPresent() && end.get().tries() > retries) {
      return new Scripted.Failed(end.get().fault().orElseThrow());
    }
    turn.act(new Action.Script(id, resize.plan()));
    return new Scripted.Under();
  }

  /** How a script stands. */
  sealed interface Scripted {

    record Done() implements Scripted {}

    record Under() implements Scripted {}

    record Failed(String message) implements Scripted {}
  }

  static Role role(Turn turn, Resize resize) {
    return turn.job.role(resize.request().role());
  }
}
