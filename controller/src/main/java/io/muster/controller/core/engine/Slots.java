package io.muster.controller.core.engine;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.core.engine.Mending.Cause;
import io.muster.controller.core.engine.Mending.Stage;
import io.muster.controller.core.job.Recovery.Keeps;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Looks after roles whose size follows the job. Where names are kept, each member has a rank among
 * all members of the job, for life: who comes later comes behind all others, as the peers of
 * DI-engine that number each other need it.
 */
final class Slots {

  private Slots() {}

  /** Brings the role closer to what the job wants of it. */
  static void advance(Turn turn, Role role) {
    if (!isFinishing(turn, role)) {
      resize(turn, role);
      for (int index : List.copyOf(turn.targets(role))) {
        if (turn.targets(role).contains(index)) {
          check(turn, role, index);
        }
        if (turn.phase.isEnd()) {
          return;
        }
      }
    }
    if (isFinishing(turn, role)) {
      finish(turn, role);
    }
    turn.members(role).stream()
        .filter(member -> !turn.targets(role).contains(member.index()))
        .forEach(turn::delete);
    Start.make(turn, role);
  }

  /** Whether nobody of the role is made any more, since what it is for is done. */
  private static boolean isFinishing(Turn turn, Role role) {
    var ledger = turn.ledger(role).orElseThrow();
    return role.end() == End.ONCE_ONE_DID_WELL
        && turn.targets(role).stream().anyMatch(ledger::hasDoneWell);
  }

  /** Whoever is not there, or has failed, has ended for good. */
  private static void finish(Turn turn, Role role) {
    var ledger = turn.ledger(role).orElseThrow();
    for (int index : turn.targets(role)) {
      var phase = turn.member(role.podName(index)).map(Member::phase);
      if (!ledger.hasEnded(index)
          && phase
              .filter(now -> now != Member.Phase.FAILED && now != Member.Phase.SUCCEEDED)
              .isEmpty()) {
        ledger.end(index, phase.filter(Member.Phase.SUCCEEDED::equals).isPresent());
        turn.unseen(role).remove(index);
        turn.mending = turn.mending.withoutGoing(role.name(), index);
      }
    }
  }

  /** Gives the role as many members as it wants. */
  static void fill(Turn turn, Role role) {
    if (role.recovery().keeps() == Keeps.NAME) {
      for (int index : places(role)) {
        if (!turn.targets(role).contains(index)) {
          turn.assign(role, index);
          seat(turn, role, index);
        }
      }
    } else {
      while (turn.targets(role).size() < role.range().wanted()) {
        turn.assign(role, turn.nextIndex(role, -1));
      }
    }
  }

  /** The lowest indices that are somebody's where names are kept. */
  private static Set<Integer> places(Role role) {
    return IntStream.iterate(0, index -> index + 1)
        .filter(index -> !role.range().without().contains(index))
        .limit(Math.max(0, role.range().wanted()))
        .boxed()
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Gives the member with that index its rank. */
  private static void seat(Turn turn, Role role, int index) {
    if (role.recovery().keeps() != Keeps.NAME) {
      return;
    }
    var ledger = turn.ledger(role).orElseThrow();
    if (!ledger.isSeated(index)) {
      int highest = ledgers(turn).mapToInt(Ledger::highestSeat).max().orElse(-1);
      ledger.seat(index, highest + 1);
    }
  }

  private static Stream<Ledger> ledgers(Turn turn) {
    return roles(turn).flatMap(role -> turn.ledger(role).stream());
  }

  private static Stream<Role> roles(Turn turn) {
    return turn.job.roles().stream().filter(role -> role.range().isFollowed());
  }

  /** A size that nobody could hold is not followed: those that there are go on. */
  private static void resize(Turn turn, Role role) {
    var excess = turn.job.excess();
    if (excess.isPresent()) {
      turn.tell(new News.Refused(excess.get()));
      return;
    }
    int before = turn.targets(role).size();
    if (role.recovery().keeps() == Keeps.NAME) {
      var places = places(role);
      List.copyOf(turn.targets(role)).stream()
          .filter(index -> !places.contains(index))
          .forEach(index -> leave(turn, role, index));
    }
    while (turn.targets(role).size() > Math.max(0, role.range().wanted())) {
      leave(turn, role, dispensable(turn, role));
    }
    fill(turn, role);
    int after = turn.targets(role).size();
    if (before != 0 && after != before) {
      turn.mending = turn.mending.after(Cause.MOVE);
      turn.tell(new News.Followed(role.name(), before, after));
    }
  }

  /** One that does not run, else the youngest. */
  private static int dispensable(Turn turn, Role role) {
    var indices = List.copyOf(turn.targets(role)).reversed();
    return indices.stream()
        .filter(index -> turn.member(role.podName(index)).filter(Member::isUp).isEmpty())
        .findFirst()
        .orElse(indices.getFirst());
  }

  /** Nobody is to have that index; it may be given out again where names are kept. */
  private static void leave(Turn turn, Role role, int index) {
    if (role.recovery().keeps() != Keeps.NAME) {
      turn.burn(role, index);
    }
    turn.targets(role).remove(index);
    turn.unseen(role).remove(index);
    turn.mending = turn.mending.withoutGoing(role.name(), index);
    turn.ledger(role).orElseThrow().reopen(index);
  }

  private static void check(Turn turn, Role role, int index) {
    var member = turn.member(role.podName(index));
    var going = turn.mending.going(role.name(), index);
    if (turn.hasEndedForGood(role, index)) {
      return;
    }
    if (member.isEmpty()) {
      if (going.isPresent()) {
        turn.mending = turn.mending.withoutGoing(role.name(), index);
        turn.unseen(role).add(index);
      } else if (!turn.unseen(role).contains(index)) {
        lose(turn, role, index, "was deleted", Cause.MOVE);
      }
    } else if (going.filter(member.get().uid()::equals).isPresent()) {
      turn.delete(member.get());
    } else {
      check(turn, role, index, member.get());
    }
  }

  private static void check(Turn turn, Role role, int index, Member member) {
    turn.mending = turn.mending.withoutGoing(role.name(), index);
    if (member.phase() == Member.Phase.SUCCEEDED) {
      turn.ledger(role).orElseThrow().end(index, true);
    } else if (member.phase() == Member.Phase.FAILED) {
      fail(turn, role, index, member);
    } else if (member.isDeleting()) {
      lose(turn, role, index, "was deleted", Cause.MOVE);
    }
  }

  private static void fail(Turn turn, Role role, int index, Member member) {
    var cause = member.isBlameless() || member.isDeleting() ? Cause.MOVE : Cause.FAILURE;
    boolean isOneTooMany =
        cause == Cause.FAILURE
            && turn.mending.isNews(cause)
            && turn.job
                .run()
                .mendings()
                .filter(limit -> turn.mending.failures() >= limit)
                .isPresent();
    var ledger = turn.ledger(role).orElseThrow();
    if (cause == Cause.FAILURE && ledger.lossesInAll() >= role.recovery().inAll()) {
      Ending.fail(turn, News.Failed.Cause.MEMBER, failureInAll(role, index));
      return;
    }
    if (isOneTooMany || !Upkeep.isReplaced(role.recovery().which(), member)) {
      Ending.fail(turn, News.Failed.Cause.MEMBER, failure(turn));
      return;
    }
    if (cause == Cause.FAILURE && role.recovery().inAll() != Integer.MAX_VALUE) {
      ledger.count(index);
    }
    lose(turn, role, index, "has failed" + reason(member), cause);
  }

  private static String failureInAll(Role role, int index) {
    return "%s has failed, and of %ss that fail no more than %d are made anew"
        .formatted(role.podName(index), role.name(), role.recovery().inAll());
  }

  private static String reason(Member member) {
    return member.reason().map(reason -> " (" + reason + ")").orElse("");
  }

  private static String failure(Turn turn) {
    var failed =
        turn.seen.members().stream()
            .filter(member -> member.phase() == Member.Phase.FAILED)
            .filter(member -> !member.isBlameless() && !member.isDeleting())
            .map(Member::name)
            .sorted()
            .toList();
    return "%d of %d pods failed (%s), and failed pods are made anew %d times at most"
        .formatted(
            failed.size(),
            roles(turn).mapToInt(role -> turn.targets(role).size()).sum(),
            String.join(", ", failed),
            turn.job.run().mendings().orElse(0));
  }

  private static void lose(Turn turn, Role role, int index, String how, Cause cause) {
    var name = role.podName(index);
    turn.tell(new News.MemberLost(name, how));
    turn.mending = turn.mending.after(cause);
    Pace.count(turn, role);
    if (role.recovery().keeps() != Keeps.NAME) {
      succeed(turn, role, index);
      return;
    }
    var member = turn.member(name);
    if (member.isPresent()) {
      turn.mending = turn.mending.withGoing(role.name(), index, member.get().uid());
      turn.delete(member.get());
    } else {
      turn.unseen(role).add(index);
    }
  }

  /** Others come in its place, and in that of all of the role where they belong together. */
  private static void succeed(Turn turn, Role role, int index) {
    var lost = role.recovery().isTogether() ? List.copyOf(turn.targets(role)) : List.of(index);
    lost.forEach(one -> leave(turn, role, one));
    lost.forEach(_ -> turn.assign(role, turn.nextIndex(role, -1)));
  }

  /** Whether each of them is there, as far as anybody knows. */
  static boolean areWhole(Turn turn, Role role) {
    return turn.unseen(role).isEmpty() && !turn.mending.going().containsKey(role.name());
  }

  /** Whether enough of them run or have done well, and nobody who has a place is still to begin. */
  static boolean areUp(Turn turn, Role role) {
    var ledger = turn.ledger(role).orElseThrow();
    int up = 0;
    for (int index : turn.targets(role)) {
      var member = turn.member(role.podName(index));
      if (ledger.hasDoneWell(index) || member.filter(Member::isUp).isPresent()) {
        up++;
      } else if (member.filter(there -> there.node().isPresent()).isPresent()) {
        return false;
      }
    }
    return up >= Math.min(role.range().least(), turn.targets(role).size());
  }

  /** Notices that everybody is there, that all run, and that all have done what they were for. */
  static void settle(Turn turn) {
    if (turn.phase != Phase.STARTING && turn.phase != Phase.RUNNING) {
      return;
    }
    if (turn.mending.stage() == Stage.MAKING && roles(turn).allMatch(r -> areWhole(turn, r))) {
      turn.mending = turn.mending.at(Stage.SETTLING);
    }
    if (turn.mending.stage() == Stage.SETTLING && roles(turn).allMatch(r -> areUp(turn, r))) {
      turn.mending = turn.mending.at(Stage.WELL);
    }
    var deciding = roles(turn).filter(Slots::decides).toList();
    if (!deciding.isEmpty() && deciding.stream().allMatch(role -> haveDoneWell(turn, role))) {
      Ending.succeed(turn);
    }
  }

  private static boolean decides(Role role) {
    return role.end() == End.WHEN_EACH_DID_WELL || role.end() == End.ONCE_ONE_DID_WELL;
  }

  private static boolean haveDoneWell(Turn turn, Role role) {
    var ledger = turn.ledger(role).orElseThrow();
    var targets = turn.targets(role);
    return role.end() == End.ONCE_ONE_DID_WELL
        ? isFinishing(turn, role) && targets.stream().allMatch(ledger::hasEnded)
        : !targets.isEmpty() && targets.stream().allMatch(ledger::hasDoneWell);
  }
}
