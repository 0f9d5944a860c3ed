package io.muster.controller.core.engine;

import io.muster.controller.core.engine.Resizing.Settled;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
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
final class ScalingIn {

  private static final Duration PROBED_APART = Duration.ofSeconds(1);

  /** A framework that reacts only at its own checkpoints is not cut off earlier. */
  private static final Duration FORCED_AFTER = Duration.ofMinutes(10);

  private ScalingIn() {}

  /** The members to go first: those that do not run, those on leaving nodes, the youngest. */
  static Settled plan(ReconcileContext context, Role role, int count) {
    var names = new ArrayList<>(context.counted(role).stream().map(role::podName).toList());
    if (count >= names.size()) {
      return new Settled.Refused(new ResizeFault.NobodyLeft(names.size()));
    }
    Collections.reverse(names);
    names.sort(
        Comparator.comparing((String name) -> context.isUp(name))
            .thenComparing(name -> !context.isLeaving(name)));
    return settled(context, role, names.subList(0, count), role.range().least());
  }

  /**
   * Nodes that go do not ask how many members a job needs, so nor does an urgent request. All
   * others leave somebody who runs.
   */
  static Settled plan(ReconcileContext context, Role role, List<String> names, boolean isUrgent) {
    var known = context.counted(role).stream().map(role::podName).toList();
    var unknown = names.stream().filter(name -> !known.contains(name)).distinct().toList();
    if (!unknown.isEmpty()) {
      return new Settled.Refused(new ResizeFault.NoSuchMembers(unknown));
    }
    var up = context.upNames(role);
    if (!isUrgent && !up.isEmpty() && names.containsAll(up)) {
      // The job could be told of nobody.
      return new Settled.Refused(new ResizeFault.NobodyLeft(up.size()));
    }
    var going = context.targetNames(role).stream().filter(names::contains).toList();
    if (isUrgent && going.stream().noneMatch(context::isUp)) {
      // They leave in any case, and were the last perhaps: others can only come in their place.
      return new Settled.Plan(going);
    }
    return settled(context, role, going, isUrgent ? 1 : role.range().least());
  }

  private static Settled settled(
      ReconcileContext context, Role role, List<String> names, int least) {
    int left = context.counted(role).size() - names.size();
    if (left < 1) {
      return new Settled.Refused(new ResizeFault.NobodyLeft(context.counted(role).size()));
    }
    if (left < least) {
      return new Settled.Refused(new ResizeFault.BelowLeast(left, least));
    }
    return new Settled.Plan(context.targetNames(role).stream().filter(names::contains).toList());
  }

  static void advance(ReconcileContext context, Resize resize) {
    var told = resize.stage() == Stage.TOLD ? Optional.of(resize) : tell(context, resize);
    told.ifPresent(after -> takeAway(context, after));
  }

  private static Optional<Resize> tell(ReconcileContext context, Resize resize) {
    if (resize.request().script().isPresent()) {
      if (!Resizing.hasRun(context, resize)) {
        return Optional.empty();
      }
    } else {
      var wanted = RequestedReplicas.wanted(context);
      boolean isTold = !wanted.isEmpty() && context.seen.told().equals(Optional.of(wanted));
      if (!isTold && context.deciding().isPresent() && !wanted.isEmpty()) {
        context.act(new Action.Tell(wanted));
      }
      if (!isTold && resize.request().forcedAt().isEmpty() && context.isDue(forcedAt(resize))) {
        // The job still works with them: they stay.
        Resizing.fail(context, resize, new ResizeFault.Untold());
        return Optional.empty();
      }
      // Nobody of those that stay runs now: the job would see its end in an empty list. But nodes
      // that go wait for no list, and nor does anybody who has gone already.
      boolean areGone = wanted.isEmpty() && context.members(resize.plan()).findAny().isEmpty();
      if (!isTold && !areGone && resize.request().forcedAt().filter(context::isDue).isEmpty()) {
        return Optional.empty();
      }
      if (areGone) {
        // Their processes have failed, for all that the job knows.
        context.burn(Resizing.role(context, resize), 0);
      }
    }
    return Optional.of(Resizing.told(context, resize));
  }

  private static void takeAway(ReconcileContext context, Resize resize) {
    var left = context.members(resize.plan()).toList();
    boolean isForced = context.isDue(forcedAt(resize));
    if (left.isEmpty()) {
      forget(context, resize, isForced);
      return;
    }
    var staying = new ArrayList<String>();
    for (var member : left) {
      if (isForced || hasDone(context, resize, member)) {
        context.delete(member);
      } else {
        staying.add(member.name());
      }
    }
    if (staying.isEmpty()) {
      return;
    }
    var begun = resize.startedAt().orElse(context.now);
    if (context.isDue(begun.plus(resize.request().timeout()))) {
      context.tell(new News.ResizeSlow(resize.request().id(), List.copyOf(staying)));
    }
    var next = context.seen.probedAt().map(at -> at.plus(PROBED_APART)).orElse(Instant.MIN);
    if (context.isDue(next)) {
      context.act(new Action.Probe(List.copyOf(staying)));
    }
  }

  /** Until then the job has the time to learn of a resize. */
  static Instant forcedAt(Resize resize) {
    var begun = resize.startedAt().orElse(Instant.MAX.minus(FORCED_AFTER));
    var timeout = resize.request().timeout();
    var wait = timeout.compareTo(FORCED_AFTER) > 0 ? timeout : FORCED_AFTER;
    return resize.request().forcedAt().orElseGet(() -> begun.plus(wait));
  }

  /** Whether the job has nothing more to do with it. */
  private static boolean hasDone(ReconcileContext context, Resize resize, Member member) {
    return member.phase() != Member.Phase.RUNNING
        || member.isDeleting()
        || resize.request().script().isPresent()
        || (isProbed(context, resize)
            && Boolean.FALSE.equals(context.seen.attached().get(member.name())));
  }

  /** What was found out before may be of an earlier member of that name. */
  private static boolean isProbed(ReconcileContext context, Resize resize) {
    var begun = resize.startedAt().orElse(Instant.MAX);
    return context.seen.probedAt().filter(at -> !at.isBefore(begun)).isPresent();
  }

  private static void forget(ReconcileContext context, Resize resize, boolean wasForced) {
    var role = Resizing.role(context, resize);
    for (int index : List.copyOf(context.targets(role))) {
      if (resize.plan().contains(role.podName(index))) {
        if (wasForced) {
          context.burn(role, index);
        }
        context.targets(role).remove(index);
        context.unseen(role).remove(index);
        context.ledger(role).ifPresent(ledger -> ledger.leave(index));
      }
    }
    if (!(resize.request().change() instanceof Change.RemoveNamed)) {
      // Its size is what was asked for now.
      context.forgetLost(role, Integer.MAX_VALUE);
    }
    if (resize.request().urgent()) {
      context.owed.merge(role.name(), resize.plan().size(), Integer::sum);
    }
    Resizing.finish(context, resize, wasForced);
  }
}
