package io.muster.controller.core.engine;

import io.muster.controller.core.engine.Resize.Stage;
import io.muster.controller.core.engine.Resizing.Scripted;
import io.muster.controller.core.engine.Resizing.Settled;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a role larger: the new members start as a gang of their own, and the job is told of them
 * when all run. If they do not in time, none of them stays and the job is as it was.
 */
final class ScaleOut {

  private ScaleOut() {}

  static Settled plan(Turn turn, Role role, int count) {
    long members = (long) turn.counted(role).size() + count;
    if (members > role.range().most()) {
      return new Settled.Refused(
          new ResizeFault.AboveMost(
              (int) Math.min(members, Integer.MAX_VALUE), role.range().most()));
    }
    var names = new ArrayList<String>();
    int index = turn.nextIndex(role, -1);
    for (int i = 0; i < count; i++) {
      names.add(role.podName(index + i));
    }
    return new Settled.Plan(names);
  }

  static void advance(Turn turn, Resize resize) {
    var ended =
        resize.plan().stream()
            .flatMap(name -> turn.member(name).stream())
            .filter(Member::hasEnded)
            .findFirst();
    if (ended.isPresent()) {
      burn(turn, resize);
      Resizing.fail(turn, resize, new ResizeFault.MemberEnded(ended.get().name()));
    } else if (resize.stage() == Stage.TOLD) {
      join(turn, resize);
    } else if (resize.plan().stream().anyMatch(turn::isLeaving)) {
      burn(turn, resize);
      Resizing.fail(
          turn,
          resize,
          new ResizeFault.NodesLeaving(resize.plan().stream().filter(turn::isLeaving).toList()));
    } else if (Resizing.joins(turn, resize)) {
      tell(turn, resize);
    } else if (turn.isDue(
        resize
            .startedAt()
            .orElse(Instant.MAX.minus(resize.request().timeout()))
            .plus(resize.request().timeout()))) {
      Resizing.fail(turn, resize, refusal(turn, resize).orElse(new ResizeFault.TimedOut()));
    } else if (Wishes.isRegain(turn, resize) && isAwaited(turn)) {
      Resizing.fail(turn, resize, new ResizeFault.GaveWay());
    } else {
      make(turn, resize);
    }
  }

  private static boolean isAwaited(Turn turn) {
    return turn.resizes().stream()
        .anyMatch(other -> other.stage() == Stage.WAITING && other.request().urgent());
  }

  private static Optional<ResizeFault> refusal(Turn turn, Resize resize) {
    return turn.seen
        .refusal()
        .filter(refused -> resize.plan().contains(refused.pod()))
        .map(refused -> new ResizeFault.Refused(refused.message()));
  }

  private static void make(Turn turn, Resize resize) {
    var waiting =
        turn.seen
            .refusal()
            .filter(refused -> resize.plan().contains(refused.pod()))
            .filter(refused -> !turn.isDue(refused.until()));
    if (waiting.isPresent()) {
      resize.plan().stream().flatMap(name -> turn.member(name).stream()).forEach(turn::delete);
      return;
    }
    var role = Resizing.role(turn, resize);
    var ranks = ranks(turn, role, resize);
    for (var name : resize.plan()) {
      if (turn.member(name).isEmpty()) {
        turn.act(
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
  private static Map<String, Integer> ranks(Turn turn, Role role, Resize resize) {
    var ranks = new HashMap<String, Integer>();
    if (turn.ledger(role).isPresent()) {
      var ledger = new Ledger(turn.ledger(role).get().stored());
      var members = new ArrayList<>(turn.counted(role));
      for (var name : resize.plan()) {
        int index = indexOf(role, name);
        ledger.join(index, List.copyOf(members));
        members.add(index);
        ranks.put(name, ledger.rank(index));
      }
    }
    return ranks;
  }

  private static void tell(Turn turn, Resize resize) {
    if (resize.request().script().isPresent()) {
      switch (Resizing.script(turn, resize)) {
        case Scripted.Failed(String message) ->
            Resizing.fail(turn, resize, new ResizeFault.ScriptFailed(message));
        case Scripted.Under _ -> {}
        case Scripted.Done _ -> told(turn, resize);
      }
    } else if (turn.seen.told().equals(Optional.of(Upkeep.wanted(turn)))) {
      told(turn, resize);
    }
  }

  private static void told(Turn turn, Resize resize) {
    var told = resize.at(Stage.TOLD);
    turn.store(told);
    turn.tell(new News.ResizeTold(resize.request().id()));
    join(turn, told);
  }

  private static void join(Turn turn, Resize resize) {
    var role = Resizing.role(turn, resize);
    for (var name : resize.plan()) {
      int index = indexOf(role, name);
      turn.ledger(role).ifPresent(ledger -> ledger.join(index, turn.counted(role)));
      turn.targets(role).add(index);
    }
    turn.forgetLost(
        role,
        switch (resize.request().change()) {
          case Change.AddLost _ -> resize.plan().size();
          // Its size is what was asked for now.
          case Change.To _ -> Integer.MAX_VALUE;
          case Change.Add _, Change.Remove _, Change.RemoveNamed _, Change.Unclear _ -> 0;
        });
    turn.owed.computeIfPresent(
        role.name(), (_, owed) -> owed > resize.plan().size() ? owed - resize.plan().size() : null);
    Resizing.finish(turn, resize, false);
  }

  /** A name whose process has failed may be one that the job never uses again. */
  private static void burn(Turn turn, Resize resize) {
    var role = Resizing.role(turn, resize);
    resize.plan().forEach(name -> turn.burn(role, indexOf(role, name)));
  }

  private static int indexOf(Role role, String name) {
    return Integer.parseInt(name.substring(role.prefix().length() + 1));
  }
}
