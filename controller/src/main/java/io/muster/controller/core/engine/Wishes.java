package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.Resize.Stage;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Turns what is wished for without a request into one: another size in the job itself, members on
 * nodes that will go, and others in the place of those that went so.
 */
final class Wishes {

  /** Room that was not there is not there a moment later either. */
  private static final Duration REGAINED_APART = Duration.ofSeconds(60);

  private Wishes() {}

  static void ask(Turn turn) {
    for (var role : turn.job.roles()) {
      if (JobEngine.isSized(role)) {
        leave(turn, role);
        follow(turn, role);
        regain(turn, role);
        int members = turn.counted(role).size();
        if (members < role.range().least()) {
          turn.tell(new News.BelowLeast(role.name(), members, role.range().least()));
        }
      }
    }
    turn.deciding()
        .filter(member -> turn.isLeaving(member.name()))
        .ifPresent(
            member -> turn.tell(new News.DecidingLeaves(member.name(), member.node().orElse(""))));
  }

  /** The size in the job was changed since it was last followed. */
  private static void follow(Turn turn, Role role) {
    int size = role.range().wanted();
    if (isFollowed(turn, role)) {
      return;
    }
    var key = followKey(turn, role);
    boolean isAsked = turn.resizes().stream().anyMatch(resize -> isNamed(resize, key));
    int more = size - turn.counted(role).size();
    if (isAsked || more == 0) {
      turn.asked.put(role.name(), size);
    } else if (isIdle(turn)) {
      turn.act(new Action.Ask(key, role.name(), change(turn, role, more), false, Optional.empty()));
    }
  }

  private static Change change(Turn turn, Role role, int more) {
    if (turn.ledger(role).isPresent()) {
      return new Change.To(role.range().wanted());
    }
    return more > 0 ? new Change.Add(more) : new Change.Remove(-more);
  }

  private static String followKey(Turn turn, Role role) {
    return "%s-to-%d-%d"
        .formatted(turn.job.key().name(), role.range().wanted(), turn.job.generation());
  }

  private static boolean isNamed(Resize resize, String key) {
    return resize.request().id().endsWith("/" + key);
  }

  /** A job that starts again with fewer asks for the rest again, whatever came of it before. */
  static void forgetFollowed(Turn turn) {
    for (var role : turn.job.roles()) {
      if (JobEngine.isSized(role) && !isFollowed(turn, role)) {
        turn.resizes().stream()
            .filter(resize -> resize.stage().isEnd() && isNamed(resize, followKey(turn, role)))
            .forEach(resize -> turn.act(new Action.Withdraw(resize.request().id())));
      }
    }
  }

  private static boolean isFollowed(Turn turn, Role role) {
    int size = role.range().wanted();
    return turn.asked.getOrDefault(role.name(), size) == size;
  }

  private static boolean isIdle(Turn turn) {
    return turn.resizes().stream().allMatch(resize -> resize.stage().isEnd());
  }

  private static void leave(Turn turn, Role role) {
    var names = new ArrayList<>(turn.targetNames(role).stream().filter(turn::isLeaving).toList());
    // The job would end with the last of them: that one is kept until there are others.
    names.removeAll(kept(turn, role));
    names.removeIf(name -> !isStaying(turn, name));
    if (!names.isEmpty()) {
      var pods = names.stream().map(name -> name + turn.member(name).map(Member::uid)).toList();
      turn.act(
          new Action.Ask(
              // The pods, not their names: those are given out again.
              "%s-leaves-%08x".formatted(turn.job.key().name(), pods.hashCode()),
              role.name(),
              new Change.RemoveNamed(names),
              true,
              names.stream().map(turn.seen.leaving()::get).min(Comparator.naturalOrder())));
    }
  }

  /** The one that stays on a leaving node because nobody is anywhere else. */
  private static List<String> kept(Turn turn, Role role) {
    var up = turn.upNames(role);
    return up.stream().allMatch(turn::isLeaving)
        ? up.stream().max(Comparator.comparing(turn.seen.leaving()::get)).stream().toList()
        : List.of();
  }

  /** Whether no request names it yet, or takes it away. */
  private static boolean isStaying(Turn turn, String name) {
    return turn.resizes().stream()
        .filter(resize -> !resize.stage().isEnd())
        .noneMatch(resize ->
            resize.plan().contains(name)
                || (resize.request().change() instanceof Change.RemoveNamed(List<String> named)
                    && named.contains(name)));
  }

  /** As many as went with their nodes, up to the size that was asked for, one request at a time. */
  private static void regain(Turn turn, Role role) {
    int kept = kept(turn, role).size();
    int members = turn.counted(role).size();
    int missing = turn.asked.getOrDefault(role.name(), role.range().wanted()) - members + kept;
    if (missing <= 0) {
      turn.owed.remove(role.name());
      return;
    }
    int count =
        Math.min(
            Math.min(missing, turn.owed.getOrDefault(role.name(), 0) + kept),
            role.range().most() - members);
    if (count <= 0 || turn.phase != Phase.RUNNING || !isIdle(turn) || !isFollowed(turn, role)) {
      return;
    }
    var before =
        turn.resizes().stream()
            .filter(resize -> isRegain(turn, resize))
            .sorted(Comparator.comparingInt(Wishes::number))
            .toList();
    if (!before.isEmpty() && !turn.isDue(earliest(before.getLast()))) {
      return;
    }
    int number = before.isEmpty() ? 1 : number(before.getLast()) + 1;
    turn.act(
        new Action.Ask(
            regainKey(turn) + number, role.name(), new Change.Add(count), false, Optional.empty()));
    before.stream()
        .limit(Math.max(0, before.size() - 1))
        .filter(resize -> resize.stage() == Stage.FAILED)
        .forEach(resize -> turn.act(new Action.Withdraw(resize.request().id())));
  }

  private static Instant earliest(Resize before) {
    return before.stage() == Stage.FAILED
        ? before.endedAt().map(end -> end.plus(REGAINED_APART)).orElse(Instant.MIN)
        : Instant.MIN;
  }

  private static String regainKey(Turn turn) {
    return turn.job.key().name() + "-regains-";
  }

  /** Whether it was asked for in the place of members that went with their nodes. */
  static boolean isRegain(Turn turn, Resize resize) {
    var name = resize.request().id().substring(resize.request().id().lastIndexOf('/') + 1);
    return resize.request().change() instanceof Change.Add
        && name.startsWith(regainKey(turn))
        && name.substring(regainKey(turn).length()).matches("[1-9][0-9]{0,8}");
  }

  private static int number(Resize regain) {
    var id = regain.request().id();
    return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
  }
}
