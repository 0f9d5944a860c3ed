package io.muster.controller.core.engine;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Carries resizes out, one at a time and in their order; asks for those that the job's own wishes
 * and leaving nodes call for. Every step can be taken again.
 */
final class Resizing {

  private Resizing() {}

  static boolean isRemoval(ReconcileContext context, Resize resize) {
    return switch (resize.request().change()) {
      case Change.Remove _, Change.RemoveNamed _ -> true;
      case Change.Add _, Change.AddLost _, Change.Unclear _ -> false;
      // Those that come are no targets before they have come.
      case Change.To _ ->
          !resize.plan().isEmpty()
              && new HashSet<>(context.targetNames(role(context, resize)))
                  .containsAll(resize.plan());
    };
  }

  /** Whether all its new members run, so that the job may be told of them. */
  static boolean joins(ReconcileContext context, Resize resize) {
    return !isRemoval(context, resize)
        && (resize.stage() == Stage.SCALING || resize.stage() == Stage.TOLD)
        && !resize.plan().isEmpty()
        && resize.plan().stream().allMatch(context::isUp);
  }

  static void advance(ReconcileContext context) {
    context
        .current()
        .filter(resize -> isAway(context, resize))
        .ifPresent(_ -> {
          Suspension.postpone(context);
          context.phase = Phase.RUNNING;
        });
    if (context.phase == Phase.RUNNING) {
      begin(context);
    }
    context
        .current()
        .ifPresent(resize -> {
          if (isRemoval(context, resize)) {
            ScalingIn.advance(context, resize);
          } else {
            ScalingOut.advance(context, resize);
          }
        });
    deleteStrays(context);
    DerivedResizes.ask(context);
  }

  /** Whether new members shall come where nobody is to be for now: they come when the others do. */
  static boolean isAway(ReconcileContext context, Resize resize) {
    return role(context, resize).pause() == Role.Pause.AWAY && !isRemoval(context, resize);
  }

  private static void begin(ReconcileContext context) {
    for (var resize : context.resizes()) {
      if (resize.stage() != Stage.WAITING || context.resizing.isPresent()) {
        continue;
      }
      var role = context.job.role(resize.request().role());
      if (role.pause() != Role.Pause.NONE) {
        continue;
      }
      var settled =
          switch (resize.request().change()) {
            case Change.Unclear(String problem) ->
                new Settled.Refused(new ResizeFault.Unclear(problem));
            case Change.Add(int count) -> ScalingOut.plan(context, role, count);
            case Change.AddLost(int count) -> again(context, role, count);
            case Change.To(int size) -> to(context, role, size);
            case Change.Remove(int count) -> ScalingIn.plan(context, role, count);
            case Change.RemoveNamed(List<String> names) ->
                ScalingIn.plan(context, role, names, resize.request().urgent());
          };
      switch (settled) {
        case Settled.Refused(ResizeFault fault) -> context.fail(resize, fault);
        case Settled.Nothing _ -> context.succeed(resize.begun(List.of(), context.now), false);
        case Settled.Plan(List<String> names) -> {
          context.store(resize.begun(names, context.now));
          context.resizing = Optional.of(resize.request().id());
          context.phase = Phase.SCALING;
          context.tell(new News.ResizeStarted(resize.request().id()));
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

  private static Settled again(ReconcileContext context, Role role, int count) {
    int more = Math.min(count, context.lost(role).size());
    return more == 0 ? new Settled.Nothing() : ScalingOut.plan(context, role, more);
  }

  private static Settled to(ReconcileContext context, Role role, int size) {
    int more = size - context.counted(role).size();
    if (more == 0) {
      context.forgetLost(role, Integer.MAX_VALUE);
      return new Settled.Nothing();
    }
    return more > 0 ? ScalingOut.plan(context, role, more) : ScalingIn.plan(context, role, -more);
  }

  /**
   * If the request of what is being carried out was deleted, whoever is there still stays, and
   * whoever goes or is gone is not replaced.
   */
  static void giveUp(ReconcileContext context) {
    if (context.phase != Phase.SCALING
        || context.current().filter(r -> !r.stage().isEnd()).isPresent()) {
      return;
    }
    context.endScaling();
    for (var role : context.job.roles()) {
      if (JobEngine.isSized(role)) {
        List.copyOf(context.targets(role)).stream()
            .filter(index -> !context.hasEndedForGood(role, index))
            .filter(index -> !context.unseen(role).contains(index))
            .filter(
                index -> context.member(role.podName(index)).filter(m -> !m.isDeleting()).isEmpty())
            .forEach(index -> context.forget(role, index));
      }
    }
  }

  static void finish(ReconcileContext context, Resize resize, boolean wasForced) {
    context.succeed(resize, wasForced);
    context.endScaling();
  }

  static void fail(ReconcileContext context, Resize resize, ResizeFault fault) {
    context.fail(resize, fault);
    context.endScaling();
  }

  /** Pods made for a resize that failed or is wanted no more, once the job knows them no more. */
  private static void deleteStrays(ReconcileContext context) {
    var kept = new HashSet<String>();
    for (var role : context.job.roles()) {
      kept.addAll(context.targetNames(role));
    }
    context.current().ifPresent(resize -> kept.addAll(resize.plan()));
    boolean isKnowing = context.deciding().filter(Member::isUp).isPresent();
    for (var member : context.seen.members()) {
      boolean isStray =
          !kept.contains(member.name()) && member.resize().isPresent() && !member.hasEnded();
      if (isStray && !(isKnowing && mayBeKnown(context, member.name()))) {
        context.delete(member);
      }
    }
  }

  private static boolean mayBeKnown(ReconcileContext context, String name) {
    return context.isTelling(name)
        || context.seen.told().filter(told -> !told.contains(name)).isEmpty();
  }

  /** Whether the script of a resize has run: started if need be; fails with it for good. */
  static boolean hasRun(ReconcileContext context, Resize resize) {
    var id = resize.request().id();
    var end = Optional.ofNullable(context.seen.scripts().get(id));
    if (end.isPresent() && end.get().fault().isEmpty()) {
      return true;
    }
    int retries = resize.request().script().orElseThrow().retries();
    if (end.isPresent() && end.get().tries() > retries) {
      fail(context, resize, new ResizeFault.ScriptFailed(end.get().fault().orElseThrow()));
    } else {
      context.act(new Action.Script(id, resize.plan()));
    }
    return false;
  }

  /** The job knows of it. */
  static Resize told(ReconcileContext context, Resize resize) {
    var told = resize.at(Stage.TOLD);
    context.store(told);
    context.tell(new News.ResizeTold(resize.request().id()));
    return told;
  }

  static Role role(ReconcileContext context, Resize resize) {
    return context.job.role(resize.request().role());
  }
}
