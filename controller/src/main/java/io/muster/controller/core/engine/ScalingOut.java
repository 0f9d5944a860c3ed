package io.muster.controller.core.engine;

import io.muster.controller.core.engine.Resizing.Settled;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Makes a role larger: the new members start as a gang of their own, and the job is told of them
 * when all run. If they do not in time, none of them stays and the job is as it was.
 */
final class ScalingOut {

  private ScalingOut() {}

  static Settled plan(ReconcileContext context, Role role, int count) {
    long members = (long) context.counted(role).size() + count;
    if (members > role.range().most()) {
      return new Settled.Refused(
          new ResizeFault.AboveMost(
              (int) Math.min(members, Integer.MAX_VALUE), role.range().most()));
    }
    int next = context.nextIndex(role);
    return new Settled.Plan(IntStream.range(next, next + count).mapToObj(role::podName).toList());
  }

  static void advance(ReconcileContext context, Resize resize) {
    var ended = context.members(resize.plan()).filter(Member::hasEndedByItself).findFirst();
    var leaving = resize.plan().stream().filter(context::isLeaving).toList();
    if (ended.isPresent()) {
      burn(context, resize);
      Resizing.fail(context, resize, new ResizeFault.MemberEnded(ended.get().name()));
    } else if (resize.stage() == Stage.TOLD) {
      join(context, resize);
    } else if (!leaving.isEmpty()) {
      burn(context, resize);
      Resizing.fail(context, resize, new ResizeFault.NodesLeaving(leaving));
    } else if (Resizing.joins(context, resize)) {
      tell(context, resize);
    } else if (isLate(context, resize)) {
      Resizing.fail(context, resize, refusal(context, resize).orElse(new ResizeFault.TimedOut()));
    } else if (DerivedResizes.isRegain(context, resize) && isAwaited(context)) {
      Resizing.fail(context, resize, new ResizeFault.GaveWay());
    } else {
      make(context, resize);
    }
  }

  private static boolean isAwaited(ReconcileContext context) {
    return context.resizes().stream()
        .anyMatch(other -> other.stage() == Stage.WAITING && other.request().urgent());
  }

  private static Optional<ResizeFault> refusal(ReconcileContext context, Resize resize) {
    return context.seen.refusals().stream()
        .filter(refused -> resize.plan().contains(refused.pod()))
        .findFirst()
        .map(refused -> new ResizeFault.Refused(refused.message()));
  }

  private static void make(ReconcileContext context, Resize resize) {
    boolean isRefused = Start.isHeldBack(context, resize.plan());
    if (isRefused) {
      context.members(resize.plan()).forEach(context::delete);
    }
    if (isRefused || Start.isHeldBack(context)) {
      Start.tellRefusal(context);
      return;
    }
    var role = Resizing.role(context, resize);
    var ranks = ranks(context, role, resize);
    for (var name : resize.plan()) {
      if (context.member(name).isEmpty()) {
        context.act(
            new Action.Create(
                role.name(),
                indexOf(role, name),
                name,
                resize.plan().size(),
                Optional.of(resize.request().id()),
                ranks.getOrDefault(name, indexOf(role, name)),
                0));
      }
    }
  }

  /** The lowest ranks that nobody has, in the order of the new members: as they will join. */
  private static Map<String, Integer> ranks(ReconcileContext context, Role role, Resize resize) {
    var ranks = new HashMap<String, Integer>();
    if (context.ledger(role).isPresent()) {
      var taken = new HashSet<Integer>();
      context.counted(role).forEach(index -> taken.add(context.rank(role, index)));
      int rank = 0;
      for (var name : resize.plan()) {
        while (taken.contains(rank)) {
          rank++;
        }
        ranks.put(name, rank++);
      }
    }
    return ranks;
  }

  private static void tell(ReconcileContext context, Resize resize) {
    boolean isTold =
        resize.request().script().isPresent()
            ? Resizing.hasRun(context, resize)
            : context.seen.told().equals(Optional.of(RequestedReplicas.wanted(context)));
    if (isTold) {
      join(context, Resizing.told(context, resize));
    } else if (resize.request().script().isEmpty() && context.isDue(ScalingIn.forcedAt(resize))) {
      // All of them run: it has as long as a ScaleIn has, also where nobody looked for a while.
      Resizing.fail(context, resize, new ResizeFault.Untold());
    }
  }

  private static boolean isLate(ReconcileContext context, Resize resize) {
    var timeout = resize.request().timeout();
    return context.isDue(resize.startedAt().orElse(Instant.MAX.minus(timeout)).plus(timeout));
  }

  private static void join(ReconcileContext context, Resize resize) {
    var role = Resizing.role(context, resize);
    var ranks = ranks(context, role, resize);
    for (var name : resize.plan()) {
      int index = indexOf(role, name);
      context.ledger(role).ifPresent(ledger -> ledger.join(index, ranks.get(name)));
      context.targets(role).add(index);
    }
    context.forgetLost(
        role,
        switch (resize.request().change()) {
          case Change.AddLost _ -> resize.plan().size();
          // Its size is what was asked for now.
          case Change.To _ -> Integer.MAX_VALUE;
          case Change.Add _, Change.Remove _, Change.RemoveNamed _, Change.Unclear _ -> 0;
        });
    context.owed.computeIfPresent(
        role.name(), (_, owed) -> owed > resize.plan().size() ? owed - resize.plan().size() : null);
    Resizing.finish(context, resize, false);
  }

  /** A name whose process has failed may be one that the job never uses again. */
  private static void burn(ReconcileContext context, Resize resize) {
    var role = Resizing.role(context, resize);
    resize.plan().forEach(name -> context.burn(role, indexOf(role, name)));
  }

  private static int indexOf(Role role, String name) {
    return Integer.parseInt(name.substring(role.prefix().length() + 1));
  }
}
