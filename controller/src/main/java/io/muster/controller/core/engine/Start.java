package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Passed;
import io.muster.controller.core.engine.JobState.Passed.Step;
import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.job.Role;
import java.util.Optional;

/**
 * Brings a job up, role by role. Pods that the apiserver refuses take those of their gang with them
 * and are tried again later: nobody keeps half a gang.
 */
final class Start {

  private Start() {}

  static void advance(Turn turn) {
    if (turn.job.run().held()) {
      return;
    }
    Wishes.forgetFollowed(turn);
    for (var role : turn.job.roles()) {
      if (role.decides() && turn.passed.contains(new Passed(Step.UP, role.name()))) {
        Upkeep.decide(turn, role);
      } else if (turn.phase == Phase.STARTING
          && role.after().stream()
              .allMatch(other -> turn.passed.contains(new Passed(Step.UP, other)))) {
        bringUp(turn, role);
      }
    }
    if (turn.phase != Phase.STARTING) {
      return;
    }
    boolean isUp =
        turn.job.roles().stream()
            .allMatch(role -> turn.passed.contains(new Passed(Step.UP, role.name())));
    if (isUp) {
      turn.phase = Phase.RUNNING;
      turn.tell(new News.Running());
      Upkeep.advance(turn);
    }
  }

  private static void bringUp(Turn turn, Role role) {
    if (role.pause() != Role.Pause.NONE) {
      Upkeep.pause(turn, role);
      return;
    }
    if (isRefused(turn, role)) {
      return;
    }
    if (role.range().isFollowed()) {
      Slots.advance(turn, role);
    } else if (!keepUp(turn, role)) {
      return;
    }
    notice(turn, role);
  }

  /** Has the role's lost members made anew; false if the job is at its end with them. */
  private static boolean keepUp(Turn turn, Role role) {
    Upkeep.replaceFailed(turn, role);
    var ended = ended(turn, role);
    if (turn.phase.isEnd()) {
      return false;
    }
    if (ended.isPresent()) {
      // Nobody will take its place, so the job would wait for it for ever.
      Ending.fail(
          turn,
          News.Failed.Cause.MEMBER,
          ended.get().reason().orElse(ended.get().name() + " ended before the job ran"));
      return false;
    }
    if (role.recovery().keepsRank()) {
      Upkeep.replaceDeleted(turn, role);
    } else {
      // Whoever was deleted before the job ran is made again.
      turn.targets(role).stream()
          .filter(index -> turn.member(role.podName(index)).isEmpty())
          .forEach(index -> turn.unseen(role).add(index));
    }
    make(turn, role);
    return true;
  }

  private static void notice(Turn turn, Role role) {
    if (turn.unseen(role).isEmpty()
        && Slots.areWhole(turn, role)
        && turn.passed.add(new Passed(Step.MADE, role.name()))) {
      turn.tell(new News.Made(role.name()));
    }
    long up =
        turn.targetNames(role).stream()
            .flatMap(name -> turn.member(name).stream())
            .filter(member -> member.isUp() || (role.decides() && member.hasEnded()))
            .count();
    if (turn.passed.contains(new Passed(Step.MADE, role.name()))
        && (role.range().isFollowed() ? Slots.areUp(turn, role) : up >= needed(turn, role))
        && turn.passed.add(new Passed(Step.UP, role.name()))) {
      turn.tell(new News.Up(role.name(), (int) up));
    }
  }

  /** A job that all members end goes on with as few as it can do with. */
  private static int needed(Turn turn, Role role) {
    int all = turn.targets(role).size();
    return role.end() == Role.End.WITH_ALL ? Math.min(role.range().least(), all) : all;
  }

  private static Optional<Member> ended(Turn turn, Role role) {
    if (role.end() == Role.End.WITH_ALL) {
      Upkeep.endTogether(turn, role);
      return Optional.empty();
    }
    return turn.targetNames(role).stream()
        .flatMap(name -> turn.member(name).stream())
        .filter(member -> member.hasEnded() && !role.decides())
        .findFirst();
  }

  /** Makes the pods of the role that nobody has seen yet. */
  static void make(Turn turn, Role role) {
    if (turn.unseen(role).isEmpty() || isHeldBack(turn, role) || !Pace.allows(turn, role)) {
      return;
    }
    turn.act(
        new Action.Prepare(
            role.name(), Upkeep.wanted(turn), role.podName(turn.unseen(role).iterator().next())));
    for (int index : turn.unseen(role)) {
      turn.act(
          new Action.Create(
              role.name(),
              index,
              role.podName(index),
              turn.job.startingMembers(),
              Optional.empty(),
              turn.rank(role, index),
              turn.losses(role, index)));
    }
  }

  /** Whether the apiserver has just refused one of them. */
  private static boolean isHeldBack(Turn turn, Role role) {
    return turn.seen
        .refusal()
        .filter(refused -> turn.targetNames(role).contains(refused.pod()))
        .filter(refused -> !turn.isDue(refused.until()))
        .isPresent();
  }

  /** Those of followed size begin together: all wait where one of them is refused. */
  private static boolean isRefused(Turn turn, Role role) {
    boolean isHeldBack =
        turn.job.roles().stream()
            .filter(other ->
                other.equals(role) || (role.range().isFollowed() && other.range().isFollowed()))
            .anyMatch(other -> isHeldBack(turn, other));
    if (isHeldBack) {
      turn.tell(new News.Refused(turn.seen.refusal().orElseThrow().message()));
      turn.members(role).stream().filter(member -> !member.isUp()).forEach(turn::delete);
    }
    return isHeldBack;
  }
}
