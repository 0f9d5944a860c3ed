package io.muster.controller.core.engine;

import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Turns what is wished for without a request into one: another size in the job itself, members on
 * nodes that will go, and others in the place of those that went so.
 */
final class DerivedResizes {

  /** Room that was not there is not there a moment later either. */
  private static final Duration REGAINED_APART = Duration.ofSeconds(60);

  /** What is asked for bears the job's name and a number, and may have 63 characters. */
  private static final int MOST_REGAINS = 999;

  private DerivedResizes() {}

  static void ask(ReconcileContext context) {
    for (var role : context.job.roles()) {
      if (JobEngine.isSized(role)) {
        leave(context, role);
        follow(context, role);
        regain(context, role);
        int members = context.counted(role).size();
        if (members < role.range().least()) {
          context.tell(new News.BelowLeast(role.name(), members, role.range().least()));
        }
      }
    }
    context
        .deciding()
        .filter(member -> context.isLeaving(member.name()))
        .ifPresent(member ->
            context.tell(new News.DecidingLeaves(member.name(), member.node().orElse(""))));
  }

  /** The size in the job was changed since it was last followed. */
  private static void follow(ReconcileContext context, Role role) {
    int size = role.range().wanted();
    if (isFollowed(context, role)) {
      return;
    }
    // They are none of the size that users see, and nobody is to come in their place.
    RequestedReplicas.lostForGood(context, role).forEach(index -> context.forget(role, index));
    var key = followKey(context, role);
    boolean isAsked = context.resizes().stream().anyMatch(resize -> isNamed(resize, key));
    int more = size - context.counted(role).size();
    var earlier = earlier(context, key);
    if (isAsked || (more == 0 && earlier.isEmpty())) {
      context.asked.put(role.name(), size);
    } else if (!isIdle(context)) {
      earlier.stream()
          .filter(resize -> isOnlyWished(context, resize))
          .forEach(resize -> context.act(new Action.Withdraw(resize.request().id())));
    } else {
      context.act(new Action.Ask(key, role.name(), change(context, role, more)));
    }
  }

  private static Change change(ReconcileContext context, Role role, int more) {
    if (context.ledger(role).isPresent()) {
      return new Change.To(role.range().wanted());
    }
    return more > 0 ? new Change.Add(more) : new Change.Remove(-more);
  }

  /** What sizes of before have asked for and is not done yet. */
  private static List<Resize> earlier(ReconcileContext context, String key) {
    var like = Pattern.quote(context.job.key().name()) + "-to-[0-9]{1,9}-[0-9]{1,18}";
    return context.resizes().stream()
        .filter(resize -> !resize.stage().isEnd() && !isNamed(resize, key))
        .filter(resize -> ResizeRequest.nameIn(resize.request().id()).matches(like))
        .toList();
  }

  /** Whether nothing has come of it: nobody goes, and nobody who is to come has a node. */
  private static boolean isOnlyWished(ReconcileContext context, Resize resize) {
    return switch (resize.stage()) {
      case NEW, WAITING -> true;
      case SCALING ->
          !Resizing.isRemoval(context, resize)
              && context.members(resize.plan()).allMatch(member -> member.node().isEmpty());
      case TOLD, SUCCEEDED, FAILED -> false;
    };
  }

  private static String followKey(ReconcileContext context, Role role) {
    return "%s-to-%d-%d"
        .formatted(context.job.key().name(), role.range().wanted(), context.job.generation());
  }

  private static boolean isNamed(Resize resize, String key) {
    return resize.request().id().endsWith("/" + key);
  }

  /** A job that starts again with fewer asks for the rest again, whatever came of it before. */
  static void forgetFollowed(ReconcileContext context) {
    for (var role : context.job.roles()) {
      if (JobEngine.isSized(role) && !isFollowed(context, role)) {
        context.resizes().stream()
            .filter(resize -> resize.stage().isEnd() && isNamed(resize, followKey(context, role)))
            .forEach(resize -> context.act(new Action.Withdraw(resize.request().id())));
      }
    }
  }

  private static boolean isFollowed(ReconcileContext context, Role role) {
    int size = role.range().wanted();
    return context.asked.getOrDefault(role.name(), size) == size;
  }

  private static boolean isIdle(ReconcileContext context) {
    return context.resizes().stream().allMatch(resize -> resize.stage().isEnd());
  }

  private static void leave(ReconcileContext context, Role role) {
    var names =
        new ArrayList<>(context.targetNames(role).stream().filter(context::isLeaving).toList());
    // The job would end with the last of them: that one is kept until there are others.
    names.removeAll(kept(context, role));
    names.removeIf(name -> !isStaying(context, name));
    if (!names.isEmpty()) {
      var pods = names.stream().map(name -> name + context.member(name).map(Member::uid)).toList();
      context.act(
          new Action.Ask(
              // The pods, not their names: those are given out again.
              "%s-leaves-%08x".formatted(context.job.key().name(), pods.hashCode()),
              role.name(),
              new Change.RemoveNamed(names),
              true,
              names.stream().map(context.seen.leaving()::get).min(Comparator.naturalOrder())));
    }
  }

  /** The one that stays on a leaving node because nobody is anywhere else. */
  private static List<String> kept(ReconcileContext context, Role role) {
    var up = context.upNames(role);
    return up.stream().allMatch(context::isLeaving)
        ? up.stream().max(Comparator.comparing(context.seen.leaving()::get)).stream().toList()
        : List.of();
  }

  /** Whether no request names it yet, or takes it away. */
  private static boolean isStaying(ReconcileContext context, String name) {
    return context.resizes().stream()
        .filter(resize -> !resize.stage().isEnd())
        .noneMatch(resize ->
            resize.plan().contains(name)
                || (resize.request().change() instanceof Change.RemoveNamed(List<String> named)
                    && named.contains(name)));
  }

  /** As many as went with their nodes, up to the size that was asked for, one request at a time. */
  private static void regain(ReconcileContext context, Role role) {
    int kept = kept(context, role).size();
    int members = context.counted(role).size();
    int missing = context.asked.getOrDefault(role.name(), role.range().wanted()) - members + kept;
    if (missing <= 0) {
      context.owed.remove(role.name());
      return;
    }
    int owed = Math.min(missing, context.owed.getOrDefault(role.name(), 0) + kept);
    int count = Math.min(owed, role.range().most() - members);
    if (count <= 0
        || context.phase != Phase.RUNNING
        || !isIdle(context)
        || !isFollowed(context, role)) {
      return;
    }
    var before =
        context.resizes().stream()
            .filter(resize -> isRegain(context, resize))
            .sorted(
                Comparator.comparing((Resize resize) -> resize.request().createdAt())
                    .thenComparingInt(DerivedResizes::number))
            .toList();
    if (!before.isEmpty() && !context.isDue(earliest(before.getLast()))) {
      return;
    }
    var key = regainKey(context) + nextNumber(before);
    context.act(new Action.Ask(key, role.name(), new Change.Add(count)));
    before.stream()
        .limit(Math.max(0, before.size() - 1))
        .filter(resize -> resize.stage() == Stage.FAILED)
        .forEach(resize -> context.act(new Action.Withdraw(resize.request().id())));
  }

  /** The next one after the last that is free. */
  private static int nextNumber(List<Resize> before) {
    var taken = before.stream().map(DerivedResizes::number).collect(Collectors.toSet());
    int last = before.isEmpty() ? 0 : number(before.getLast());
    return IntStream.iterate(last % MOST_REGAINS + 1, number -> number % MOST_REGAINS + 1)
        .limit(MOST_REGAINS)
        .filter(number -> !taken.contains(number))
        .findFirst()
        .orElse(before.size() + 1);
  }

  private static Instant earliest(Resize before) {
    var failed = before.endedAt().filter(_ -> before.stage() == Stage.FAILED);
    return failed.map(end -> end.plus(REGAINED_APART)).orElse(Instant.MIN);
  }

  private static String regainKey(ReconcileContext context) {
    return context.job.key().name() + "-regains-";
  }

  /** Whether it was asked for in the place of members that went with their nodes. */
  static boolean isRegain(ReconcileContext context, Resize resize) {
    var name = ResizeRequest.nameIn(resize.request().id());
    return resize.request().change() instanceof Change.Add
        && name.startsWith(regainKey(context))
        && name.substring(regainKey(context).length()).matches("[1-9][0-9]{0,8}");
  }

  private static int number(Resize regain) {
    var id = regain.request().id();
    return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
  }
}
