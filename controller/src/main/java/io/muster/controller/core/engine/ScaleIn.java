package io.muster.controller.core.engine;

import io.muster.controller.core.engine.Resize.Stage;
import io.muster.controller.core.engine.Resizing.Scripted;
import io.muster.controller.core.engine.Resizing.Settled;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Makes a role smaller without hurting the job: it is told who goes, has done with them, and only
 * then they are deleted. The order of et-operator (AliyunContainerService/et-operator), with an end
 * to the waiting.
 */
final class ScaleIn {

  private static final Duration PROBED_APART = Duration.ofSeconds(1);

  /** A framework that reacts only at its own checkpoints is not cut off earlier. */
  private static final Duration FORCED_AFTER = Duration.ofMinutes(10);

  private ScaleIn() {}

  /** The members to go first: those that do not run, those on leaving nodes, the youngest. */
  static Settled plan(Turn turn, Role role, int count) {
    var names = new ArrayList<>(turn.counted(role).stream().map(role::podName).toList());
    if (count >= names.size()) {
      return new Settled.Refused(new ResizeFault.NobodyLeft(names.size()));
    }
    Collections.reverse(names);
    names.sort(
        Comparator.comparing((String name) -> turn.member(name).filter(Member::isUp).isPresent())
            .thenComparing(name -> !turn.isLeaving(name)));
    return settled(turn, role, names.subList(0, count), role.range().least());
  }

  /** Nodes that go do not ask how many members a job needs, so nor does an urgent request. */
  static Settled plan(Turn turn, Role role, List<String> names, boolean isUrgent) {
    var known = turn.counted(role).stream().map(role::podName).toList();
    var unknown = names.stream().filter(name -> !known.contains(name)).distinct().toList();
    return unknown.isEmpty()
        ? settled(
            turn, role, names.stream().distinct().toList(), isUrgent ? 1 : role.range().least())
        : new Settled.Refused(new ResizeFault.NoSuchMembers(unknown));
  }

  private static Settled settled(Turn turn, Role role, List<String> names, int least) {
    int left = turn.counted(role).size() - names.size();
    if (left < 1) {
      return new Settled.Refused(new ResizeFault.NobodyLeft(turn.counted(role).size()));
    }
    if (left < least) {
      return new Settled.Refused(new ResizeFault.BelowLeast(left, least));
    }
    var inOrder = turn.targetNames(role).stream().filter(names::contains).toList();
    return new Settled.Plan(inOrder);
  }

  static void advance(Turn turn, Resize resize) {
    var told = resize.stage() == Stage.TOLD ? Optional.of(resize) : tell(turn, resize);
    told.ifPresent(after -> takeAway(turn, after));
  }

  private static Optional<Resize> tell(Turn turn, Resize resize) {
    if (resize.request().script().isPresent()) {
      switch (Resizing.script(turn, resize)) {
        case Scripted.Failed(String message) -> {
          Resizing.fail(turn, resize, new ResizeFault.ScriptFailed(message));
          return Optional.empty();
        }
        case Scripted.Under _ -> {
          return Optional.empty();
        }
        case Scripted.Done _ -> {}
      }
    } else {
      var wanted = Upkeep.wanted(turn);
      boolean isTold = !wanted.isEmpty() && turn.seen.told().equals(Optional.of(wanted));
      if (!isTold && turn.deciding().isPresent() && !wanted.isEmpty()) {
        turn.act(new Action.Tell(wanted));
      }
      // Nobody of those that stay runs now: the job would see its end in an empty list. But nodes
      // that go wait for no list.
      if (!isTold && resize.request().forcedAt().filter(turn::isDue).isEmpty()) {
        return Optional.empty();
      }
    }
    var told = resize.at(Stage.TOLD);
    turn.store(told);
    turn.tell(new News.ResizeTold(resize.request().id()));
    return Optional.of(told);
  }

  private static void takeAway(Turn turn, Resize resize) {
    var left = resize.plan().stream().flatMap(name -> turn.member(name).stream()).toList();
    boolean isForced = turn.isDue(forcedAt(resize));
    if (left.isEmpty()) {
      forget(turn, resize, isForced);
      return;
    }
    var staying = new ArrayList<String>();
    for (var member : left) {
      if (isForced || hasDone(turn, resize, member)) {
        turn.delete(member);
      } else {
        staying.add(member.name());
      }
    }
    if (staying.isEmpty()) {
      return;
    }
    var begun = resize.startedAt().orElse(turn.now);
    if (turn.isDue(begun.plus(resize.request().timeout()))) {
      turn.tell(new News.ResizeSlow(resize.request().id(), List.copyOf(staying)));
    }
    var next = turn.seen.probedAt().map(at -> at.plus(PROBED_APART)).orElse(Instant.MIN);
    if (turn.isDue(next)) {
      turn.act(new Action.Probe(List.copyOf(staying)));
    }
  }

  private static Instant forcedAt(Resize resize) {
    var begun = resize.startedAt().orElse(Instant.MAX.minus(FORCED_AFTER));
    var timeout = resize.request().timeout();
    var wait = timeout.compareTo(FORCED_AFTER) > 0 ? timeout : FORCED_AFTER;
    return resize.request().forcedAt().orElseGet(() -> begun.plus(wait));
  }

  /** Whether the job has nothing more to do with it. */
  private static boolean hasDone(Turn turn, Resize resize, Member member) {
    return member.phase() != Member.Phase.RUNNING
        || member.isDeleting()
        || resize.request().script().isPresent()
        || Boolean.FALSE.equals(turn.seen.attached().get(member.name()));
  }

  private static void forget(Turn turn, Resize resize, boolean wasForced) {
    var role = Resizing.role(turn, resize);
    for (int index : List.copyOf(turn.targets(role))) {
      if (resize.plan().contains(role.podName(index))) {
        if (wasForced) {
          turn.burn(role, index);
        }
        turn.targets(role).remove(index);
        turn.unseen(role).remove(index);
        turn.ledger(role).ifPresent(ledger -> ledger.leave(index));
      }
    }
    if (!(resize.request().change() instanceof Change.RemoveNamed)) {
      // Its size is what was asked for now.
      turn.forgetLost(role, Integer.MAX_VALUE);
    }
    if (resize.request().urgent()) {
      turn.owed.merge(role.name(), resize.plan().size(), Integer::sum);
    }
    Resizing.finish(turn, resize, wasForced);
  }
}
