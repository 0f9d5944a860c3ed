package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks after a job that runs: notices its end, replaces members that are lost, keeps the list of
 * members true that the job works with.
 */
final class Upkeep {

  private static final int FIRST_SIGNAL = 129;
  private static final int LAST_SIGNAL = 254;

  private Upkeep() {}

  static void advance(Turn turn) {
    for (var role : turn.job.roles()) {
      if (role.decides()) {
        decide(turn, role);
      }
    }
    if (turn.phase != Phase.RUNNING && turn.phase != Phase.SCALING) {
      return;
    }
    for (var role : turn.job.roles()) {
      if (JobEngine.isSized(role)) {
        replaceFailed(turn, role);
        replaceDeleted(turn, role);
        Start.make(turn, role);
      }
    }
    tell(turn);
  }

  private static void decide(Turn turn, Role role) {
    for (var name : turn.targetNames(role)) {
      var member = turn.member(name);
      if (member.isPresent()) {
        decide(turn, member.get());
      } else if (!turn.unseen(role).isEmpty()) {
        Start.make(turn, role);
      } else if (role.replacement() == Replacement.NEVER) {
        Ending.fail(turn, News.Failed.Cause.MEMBER, name + " was deleted");
      } else {
        turn.tell(new News.MemberLost(name, "was deleted"));
        turn.unseen(role).addAll(turn.targets(role));
        Start.make(turn, role);
      }
    }
  }

  private static void decide(Turn turn, Member member) {
    if (member.phase() == Member.Phase.SUCCEEDED) {
      Ending.succeed(turn);
    } else if (member.phase() == Member.Phase.FAILED) {
      boolean isEvicted = member.reason().filter("Evicted"::equals).isPresent();
      Ending.fail(
          turn,
          isEvicted ? News.Failed.Cause.EVICTED : News.Failed.Cause.MEMBER,
          member.reason().orElse(""));
    }
  }

  /** Gives a new index to each member that has failed and is to be replaced. */
  static void replaceFailed(Turn turn, Role role) {
    if (!JobEngine.isSized(role)) {
      return;
    }
    for (int index : List.copyOf(turn.targets(role))) {
      turn.member(role.podName(index))
          .filter(Member::hasEnded)
          .filter(member -> !isGoing(turn, member.name()))
          .ifPresent(member -> {
            var evicted = member.reason().filter("Evicted"::equals).isPresent();
            lose(
                turn,
                role,
                index,
                evicted ? "was evicted" : "has " + word(member.phase()),
                isReplaced(role.replacement(), member));
          });
    }
  }

  private static String word(Member.Phase phase) {
    return phase == Member.Phase.FAILED ? "failed" : "ended";
  }

  private static boolean isReplaced(Replacement replacement, Member member) {
    boolean hasFailed = member.phase() == Member.Phase.FAILED;
    return switch (replacement) {
      case NEVER, ON_DELETION -> false;
      case ON_FAILURE -> hasFailed;
      case ALWAYS -> true;
      case ON_SIGNAL ->
          hasFailed
              && member
                  .exitCode()
                  .filter(code -> code >= FIRST_SIGNAL && code <= LAST_SIGNAL)
                  .isPresent();
    };
  }

  private static void replaceDeleted(Turn turn, Role role) {
    for (int index : List.copyOf(turn.targets(role))) {
      var name = role.podName(index);
      if (turn.member(name).isEmpty()
          && !turn.unseen(role).contains(index)
          && !isGoing(turn, name)) {
        boolean isReplaced =
            role.replacement() == Replacement.ALWAYS
                || role.replacement() == Replacement.ON_DELETION;
        lose(turn, role, index, "was deleted", isReplaced);
      }
    }
  }

  private static void lose(Turn turn, Role role, int index, String how, boolean isReplaced) {
    turn.tell(new News.MemberLost(role.podName(index), how));
    if (!isReplaced) {
      return;
    }
    turn.burn(role, index);
    turn.targets(role).remove(index);
    var next = turn.nextIndex(role, -1);
    turn.assign(role, next);
    turn.tell(new News.MembersReplaced(List.of(role.podName(next))));
  }

  /** Whether a resize that is being carried out takes it away. */
  static boolean isGoing(Turn turn, String name) {
    return turn.current()
        .filter(Resizing::isRemoval)
        .filter(resize -> resize.plan().contains(name))
        .isPresent();
  }

  /** The members that the job should work with, by role and index. */
  static List<String> wanted(Turn turn) {
    var names = new ArrayList<String>();
    for (var role : turn.job.roles()) {
      if (JobEngine.isSized(role)) {
        turn.upNames(role).stream().filter(name -> !isGoing(turn, name)).forEach(names::add);
      }
    }
    turn.current()
        .filter(resize -> Resizing.joins(turn, resize))
        .ifPresent(resize -> names.addAll(resize.plan()));
    return names;
  }

  /** An empty list would end the job; a job that has lost everybody keeps the last one. */
  private static void tell(Turn turn) {
    var wanted = wanted(turn);
    boolean isScripted =
        turn.current().filter(resize -> resize.request().script().isPresent()).isPresent();
    if (!wanted.isEmpty()
        && !isScripted
        && turn.deciding().filter(Member::isUp).isPresent()
        && !turn.seen.told().equals(Optional.of(wanted))) {
      turn.act(new Action.Tell(wanted));
    }
  }
}
