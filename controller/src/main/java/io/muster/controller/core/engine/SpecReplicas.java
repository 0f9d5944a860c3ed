package io.muster.controller.core.engine;

import io.muster.controller.core.job.Recovery.Keeps;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.RestartRound.Cause;
import io.muster.controller.core.state.RestartRound.Stage;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Manages roles whose size follows the job. Where names are kept, each member has a rank among all
 * members of the job, for life: who comes later comes behind all others, as the peers of DI-engine
 * that number each other need it.
 */
final class SpecReplicas {

  private SpecReplicas() {}

  /** Brings the role closer to what the job wants of it. */
  static void advance(ReconcileContext context, Role role) {
    if (!isFinishing(context, role)) {
      resize(context, role);
      for (int index : List.copyOf(context.targets(role))) {
        if (context.targets(role).contains(index)) {
          check(context, role, index);
        }
        if (context.phase.isEnd()) {
          return;
        }
      }
    }
    if (isFinishing(context, role)) {
      finish(context, role);
    }
    context.members(role).stream()
        .filter(member -> !context.targets(role).contains(member.index()))
        .forEach(context::delete);
    Start.make(context, role);
  }

  /** Whoever is of a role that the job has no more is surplus, as if nobody of it were wanted. */
  static void retire(ReconcileContext context) {
    if (context.job.excess().isPresent() || roles(context).findAny().isEmpty()) {
      return;
    }
    var known = context.job.roles().stream().map(Role::name).collect(Collectors.toSet());
    for (var role : List.copyOf(context.targets.keySet())) {
      if (!known.contains(role)) {
        var gone = context.targets.remove(role);
        context.unseen.remove(role);
        context.going.remove(role);
        context.mending = context.mending.after(Cause.MOVE);
        context.tell(new News.Followed(role, gone.size(), 0));
      }
    }
    context.seen.members().stream()
        .filter(member -> !known.contains(member.role()))
        .forEach(context::delete);
  }

  /**
   * Whether nobody of the role is made any more, since what it is for is done. Of one that has done
   * well and others that have failed, seen at the same time, the former comes first.
   */
  private static boolean isFinishing(ReconcileContext context, Role role) {
    var ledger = context.ledger(role).orElseThrow();
    return role.end() == End.ONCE_ONE_DID_WELL
        && context.targets(role).stream()
            .anyMatch(index -> ledger.hasDoneWell(index) || hasSucceeded(context, role, index));
  }

  private static boolean hasSucceeded(ReconcileContext context, Role role, int index) {
    return context
        .member(role.podName(index))
        .filter(Member::hasDoneWell)
        .filter(member -> !isGoing(context, role, member))
        .isPresent();
  }

  /** Whether it is lost already, and only in the way of who has its name next. */
  private static boolean isGoing(ReconcileContext context, Role role, Member member) {
    return member.uid().equals(context.going(role).get(member.index()));
  }

  /** Whoever is not there, has failed, or has no node to begin on, has ended for good. */
  private static void finish(ReconcileContext context, Role role) {
    var ledger = context.ledger(role).orElseThrow();
    for (int index : context.targets(role)) {
      var member = context.member(role.podName(index));
      if (!ledger.hasEnded(index)
          && member.stream().allMatch(there -> there.hasEnded() || there.node().isEmpty())) {
        ledger.end(index, hasSucceeded(context, role, index));
        context.unseen(role).remove(index);
        context.going(role).remove(index);
      }
      if (ledger.hasEnded(index)) {
        member.filter(there -> !there.hasEnded()).ifPresent(context::delete);
      }
    }
  }

  /** Gives the role as many members as it wants. */
  static void fill(ReconcileContext context, Role role) {
    if (role.recovery().keeps() == Keeps.NAME) {
      var ledger = context.ledger(role).orElseThrow();
      int next = ledgers(context).mapToInt(Ledger::highestSeat).max().orElse(-1) + 1;
      for (int index : places(role)) {
        if (!context.targets(role).contains(index)) {
          context.assign(role, index);
          context
              .member(role.podName(index))
              .filter(Member::isDeleting)
              .ifPresent(last -> awaitEnd(context, role, last));
          if (!ledger.isSeated(index)) {
            ledger.seat(index, next++);
          }
        }
      }
    } else {
      while (context.targets(role).size() < role.range().wanted()) {
        context.assign(role, context.nextIndex(role));
      }
    }
  }

  /** Somebody comes by its name once it has gone, and nobody has lost it. */
  static void awaitEnd(ReconcileContext context, Role role, Member last) {
    context.unseen(role).remove(last.index());
    context.going(role).put(last.index(), last.uid());
  }

  /** The lowest indices that are somebody's where names are kept. */
  private static Set<Integer> places(Role role) {
    return IntStream.iterate(0, index -> index + 1)
        .filter(index -> !role.range().without().contains(index))
        .limit(Math.max(0, role.range().wanted()))
        .boxed()
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<Ledger> ledgers(ReconcileContext context) {
    return roles(context).flatMap(role -> context.ledger(role).stream());
  }

  private static Stream<Role> roles(ReconcileContext context) {
    return context.job.roles().stream().filter(role -> role.range().isFollowed());
  }

  /** A size that nobody could hold is not followed: those that there are go on. */
  private static void resize(ReconcileContext context, Role role) {
    var excess = context.job.excess();
    if (excess.isPresent()) {
      context.tell(new News.Refused(excess.get()));
      return;
    }
    int before = context.targets(role).size();
    if (role.recovery().keeps() == Keeps.NAME) {
      var places = places(role);
      List.copyOf(context.targets(role)).stream()
          .filter(index -> !places.contains(index))
          .forEach(index -> leave(context, role, index));
    }
    while (context.targets(role).size() > Math.max(0, role.range().wanted())) {
      leave(context, role, dispensable(context, role));
    }
    fill(context, role);
    int after = context.targets(role).size();
    if (before != 0 && after != before) {
      context.mending = context.mending.after(Cause.MOVE);
      context.tell(new News.Followed(role.name(), before, after));
    }
  }

  /** One that does not run, else the youngest. */
  private static int dispensable(ReconcileContext context, Role role) {
    var indices = List.copyOf(context.targets(role)).reversed();
    return indices.stream()
        .filter(index -> !context.isUp(role.podName(index)))
        .findFirst()
        .orElse(indices.getFirst());
  }

  /** Nobody is to have that index; it may be given out again where names are kept. */
  private static void leave(ReconcileContext context, Role role, int index) {
    if (role.recovery().keeps() != Keeps.NAME) {
      context.burn(role, index);
    }
    context.targets(role).remove(index);
    context.unseen(role).remove(index);
    context.going(role).remove(index);
    context.ledger(role).orElseThrow().reopen(index);
  }

  private static void check(ReconcileContext context, Role role, int index) {
    var member = context.member(role.podName(index));
    if (context.hasEndedForGood(role, index)) {
      return;
    }
    if (member.isEmpty()) {
      if (context.going(role).remove(index) != null) {
        context.unseen(role).add(index);
      } else if (!context.unseen(role).contains(index)) {
        lose(context, role, index, "was deleted", Cause.MOVE);
      }
    } else if (isGoing(context, role, member.get())) {
      context.delete(member.get());
    } else {
      check(context, role, index, member.get());
    }
  }

  private static void check(ReconcileContext context, Role role, int index, Member member) {
    context.going(role).remove(index);
    if (member.isDeleting()) {
      lose(context, role, index, "was deleted", Cause.MOVE);
    } else if (member.phase() == Member.Phase.SUCCEEDED) {
      context.ledger(role).orElseThrow().end(index, true);
    } else if (member.phase() == Member.Phase.FAILED) {
      fail(context, role, index, member);
    }
  }

  private static void fail(ReconcileContext context, Role role, int index, Member member) {
    var cause = member.isBlameless() ? Cause.MOVE : Cause.FAILURE;
    boolean isOneTooMany =
        cause == Cause.FAILURE
            && context.mending.isNews(cause)
            && context.mending.failures() >= context.job.run().mendings().orElse(Integer.MAX_VALUE);
    var ledger = context.ledger(role).orElseThrow();
    if (cause == Cause.FAILURE && ledger.lossesInAll() >= role.recovery().inAll()) {
      Ending.fail(context, News.Failed.Cause.MEMBER, failureInAll(role, index));
      return;
    }
    if (isOneTooMany || !RequestedReplicas.isReplaced(role.recovery().which(), member)) {
      Ending.fail(context, News.Failed.Cause.MEMBER, failure(context));
      return;
    }
    if (cause == Cause.FAILURE && role.recovery().inAll() != Integer.MAX_VALUE) {
      ledger.count(index);
    }
    var reason = member.reason().map(" (%s)"::formatted).orElse("");
    lose(context, role, index, "has failed" + reason, cause);
  }

  private static String failureInAll(Role role, int index) {
    return "%s has failed, and of %ss that fail no more than %d are recreated"
        .formatted(role.podName(index), role.name(), role.recovery().inAll());
  }

  private static String failure(ReconcileContext context) {
    var failed =
        context.seen.members().stream()
            .filter(member -> member.phase() == Member.Phase.FAILED)
            .filter(member -> !member.isBlameless() && !member.isDeleting())
            .map(Member::name)
            .sorted()
            .toList();
    return "%d of %d pods failed (%s), and failed pods are recreated %d times at most"
        .formatted(
            failed.size(),
            roles(context).mapToInt(role -> context.targets(role).size()).sum(),
            String.join(", ", failed),
            context.job.run().mendings().orElse(0));
  }

  private static void lose(
      ReconcileContext context, Role role, int index, String how, Cause cause) {
    var name = role.podName(index);
    context.tell(new News.MemberLost(name, how));
    context.mending = context.mending.after(cause);
    Backoff.count(context, role);
    if (role.recovery().keeps() != Keeps.NAME) {
      succeed(context, role, index);
      return;
    }
    var member = context.member(name);
    if (member.isPresent()) {
      context.going(role).put(index, member.get().uid());
      context.delete(member.get());
    } else {
      context.unseen(role).add(index);
    }
  }

  /** Others come in its place, and in that of all of the role where they belong together. */
  private static void succeed(ReconcileContext context, Role role, int index) {
    var lost = role.recovery().isTogether() ? List.copyOf(context.targets(role)) : List.of(index);
    lost.forEach(one -> leave(context, role, one));
    lost.forEach(_ -> context.assign(role, context.nextIndex(role)));
  }

  /** Whether each of them is there, as far as anybody knows. */
  static boolean areWhole(ReconcileContext context, Role role) {
    return context.unseen(role).isEmpty() && context.going(role).isEmpty();
  }

  /** Whether enough of them run or have done well, and nobody who has a place is still to begin. */
  static boolean areUp(ReconcileContext context, Role role) {
    var ledger = context.ledger(role).orElseThrow();
    int up = 0;
    for (int index : context.targets(role)) {
      var member = context.member(role.podName(index));
      if (ledger.hasDoneWell(index) || member.filter(Member::isUp).isPresent()) {
        up++;
      } else if (member.filter(there -> there.node().isPresent()).isPresent()) {
        return false;
      }
    }
    return up >= Math.min(role.range().least(), context.targets(role).size());
  }

  /** Notices that everybody is there, that all run, and that all have done what they were for. */
  static void settle(ReconcileContext context) {
    if (context.phase != Phase.STARTING && context.phase != Phase.RUNNING) {
      return;
    }
    if (context.mending.stage() == Stage.MAKING
        && roles(context).allMatch(r -> areWhole(context, r))) {
      context.mending = context.mending.at(Stage.SETTLING);
    }
    if (context.mending.stage() == Stage.SETTLING
        && roles(context).allMatch(r -> areUp(context, r))) {
      context.mending = context.mending.at(Stage.WELL);
    }
    var deciding = roles(context).filter(SpecReplicas::decides).toList();
    if (!deciding.isEmpty() && deciding.stream().allMatch(role -> haveDoneWell(context, role))) {
      Ending.succeed(context);
    }
  }

  private static boolean decides(Role role) {
    return role.end() == End.WHEN_EACH_DID_WELL || role.end() == End.ONCE_ONE_DID_WELL;
  }

  private static boolean haveDoneWell(ReconcileContext context, Role role) {
    var ledger = context.ledger(role).orElseThrow();
    var targets = context.targets(role);
    return role.end() == End.ONCE_ONE_DID_WELL
        ? isFinishing(context, role) && targets.stream().allMatch(ledger::hasEnded)
        : !targets.isEmpty() && targets.stream().allMatch(ledger::hasDoneWell);
  }
}
