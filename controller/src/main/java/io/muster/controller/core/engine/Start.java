package io.muster.controller.core.engine;

import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Passed;
import io.muster.controller.core.state.JobState.Passed.Step;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * Brings a job up, role by role. Pods that the apiserver refuses take those of their gang with them
 * and are tried again later: nobody keeps half a gang.
 */
final class Start {

  private Start() {}

  static void advance(ReconcileContext context) {
    if (context.job.run().held()) {
      return;
    }
    DerivedResizes.forgetFollowed(context);
    for (var role : context.job.roles()) {
      if (role.decides() && context.hasPassed(Step.UP, role.name())) {
        RequestedReplicas.decide(context, role);
      } else if (context.phase == Phase.STARTING
          && role.after().stream().allMatch(other -> context.hasPassed(Step.UP, other))) {
        bringUp(context, role);
      }
    }
    boolean isUp =
        context.job.roles().stream().allMatch(role -> context.hasPassed(Step.UP, role.name()));
    if (context.phase == Phase.STARTING && isUp) {
      context.phase = Phase.RUNNING;
      context.tell(new News.Running());
      RequestedReplicas.advance(context);
    }
  }

  private static void bringUp(ReconcileContext context, Role role) {
    if (role.pause() != Role.Pause.NONE) {
      RequestedReplicas.pause(context, role);
      return;
    }
    if (isRefused(context, role)) {
      return;
    }
    if (role.range().isFollowed()) {
      SpecReplicas.advance(context, role);
    } else if (!keepUp(context, role)) {
      return;
    }
    notice(context, role);
  }

  /** Has the role's lost members recreated; false if the job is at its end with them. */
  private static boolean keepUp(ReconcileContext context, Role role) {
    RequestedReplicas.replaceFailed(context, role);
    var ended = ended(context, role);
    if (context.phase.isEnd()) {
      return false;
    }
    if (ended.isPresent()) {
      // Nobody will take its place, so the job would wait for it for ever.
      Ending.fail(
          context,
          News.Failed.Cause.MEMBER,
          ended.get().reason().orElse(ended.get().name() + " ended before the job ran"));
      return false;
    }
    if (role.recovery().keepsRank()) {
      RequestedReplicas.replaceDeleted(context, role);
    } else {
      // Whoever was deleted before the job ran is made again.
      context.targets(role).stream()
          .filter(index -> context.member(role.podName(index)).isEmpty())
          .forEach(index -> context.unseen(role).add(index));
    }
    make(context, role);
    return true;
  }

  private static void notice(ReconcileContext context, Role role) {
    if (context.unseen(role).isEmpty()
        && SpecReplicas.areWhole(context, role)
        && context.passed.add(new Passed(Step.MADE, role.name()))) {
      context.tell(new News.Made(role.name()));
    }
    long up =
        context
            .members(context.targetNames(role))
            .filter(member -> member.isUp() || (role.decides() && member.hasEndedByItself()))
            .count();
    if (context.hasPassed(Step.MADE, role.name())
        && (role.range().isFollowed()
            ? SpecReplicas.areUp(context, role)
            : up >= needed(context, role))
        && context.passed.add(new Passed(Step.UP, role.name()))) {
      context.tell(new News.Up(role.name(), (int) up));
    }
  }

  /** A job that all members end goes on with as few as it can do with. */
  private static int needed(ReconcileContext context, Role role) {
    int all = context.targets(role).size();
    return role.end() == Role.End.WITH_ALL ? Math.min(role.range().least(), all) : all;
  }

  private static Optional<Member> ended(ReconcileContext context, Role role) {
    if (role.end() == Role.End.WITH_ALL) {
      RequestedReplicas.endTogether(context, role);
      return Optional.empty();
    }
    return context
        .members(context.targetNames(role))
        .filter(member -> member.hasEndedByItself() && !role.decides())
        .findFirst();
  }

  /** Makes the pods of the role that nobody has seen yet. */
  static void make(ReconcileContext context, Role role) {
    if (context.unseen(role).isEmpty()) {
      return;
    }
    if (role.decides() ? isHeldBack(context, role) : isHeldBack(context)) {
      tellRefusal(context);
      return;
    }
    if (!Backoff.allows(context, role)) {
      return;
    }
    context.act(
        new Action.Prepare(
            role.name(),
            RequestedReplicas.wanted(context),
            role.podName(context.unseen(role).iterator().next())));
    int together = together(context);
    for (int index : context.unseen(role)) {
      context.act(
          new Action.Create(
              role.name(),
              index,
              role.podName(index),
              together,
              Optional.empty(),
              context.rank(role, index),
              context.losses(role, index)));
    }
  }

  /**
   * How many start together. Once a job runs, members come to those that there are; where none of
   * its first gang is left, and all others have come by requests, only as many as are made now.
   */
  private static int together(ReconcileContext context) {
    int all = context.job.startingMembers();
    if (context.phase == Phase.STARTING) {
      return all;
    }
    var first =
        context.seen.members().stream()
            .filter(member -> member.resize().isEmpty() && !standsAlone(context, member))
            .filter(member -> !member.isDeleting() && !member.hasEnded())
            .toList();
    if (first.stream().anyMatch(member -> member.node().isPresent())) {
      return all;
    }
    var counted = context.job.roles().stream().filter(role -> !role.decides()).toList();
    long there = first.stream().filter(m -> counted.stream().anyMatch(r -> isOf(r, m))).count();
    int made = counted.stream().mapToInt(role -> context.unseen(role).size()).sum();
    return (int) Math.max(1, Math.min(all, there + made));
  }

  /** Whether it is of a role with which the job ends and that waits for no others: in no gang. */
  private static boolean standsAlone(ReconcileContext context, Member member) {
    return context.job.roles().stream()
        .anyMatch(role -> isOf(role, member) && role.decides() && role.after().isEmpty());
  }

  private static boolean isOf(Role role, Member member) {
    return role.name().equals(member.role());
  }

  private static boolean isHeldBack(ReconcileContext context, Role role) {
    return isHeldBack(context, context.targetNames(role));
  }

  /** Whether the apiserver has just refused one of them. */
  static boolean isHeldBack(ReconcileContext context, List<String> pods) {
    return context.seen.refusals().stream()
        .filter(refused -> pods.contains(refused.pod()))
        .anyMatch(refused -> !context.isDue(refused.until()));
  }

  /**
   * Whoever is refused meets all but the role that decides, and who is made for a request: two that
   * are refused in turn would never wait.
   */
  static boolean isHeldBack(ReconcileContext context) {
    return context.job.roles().stream().anyMatch(role -> isHeldBack(context, role));
  }

  static void tellRefusal(ReconcileContext context) {
    context.seen.refusals().stream()
        .filter(refused -> context.now.isBefore(refused.until()))
        .map(Refusal::message)
        .map(News.Refused::new)
        .forEach(context::tell);
  }

  /** Those of followed size begin together: all wait where one of them is refused. */
  private static boolean isRefused(ReconcileContext context, Role role) {
    boolean isHeldBack =
        context.job.roles().stream()
            .filter(other ->
                other.equals(role) || (role.range().isFollowed() && other.range().isFollowed()))
            .anyMatch(other -> isHeldBack(context, other));
    if (isHeldBack) {
      tellRefusal(context);
      context.members(role).stream()
          .filter(member -> !member.isUp())
          .forEach(member -> takeBack(context, role, member));
    }
    return isHeldBack;
  }

  /** It comes again by its name with the others: nobody has lost it. */
  private static void takeBack(ReconcileContext context, Role role, Member member) {
    if (role.range().isFollowed() && context.targets(role).contains(member.index())) {
      SpecReplicas.awaitEnd(context, role, member);
    }
    context.delete(member);
  }
}
