package io.muster.controller.core.engine;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Manages a job that runs: notices its end, replaces members that are lost, keeps the list of
 * members true that the job works with.
 */
final class RequestedReplicas {

  private static final int FATAL = 1;

  /** By which launchers of training say so. */
  private static final int OUT_OF_MEMORY = 247;

  /** Killed from outside, or asked to go. */
  private static final Set<Integer> KILLED = Set.of(137, 143);

  private static final int FIRST_SIGNAL = 129;
  private static final int LAST_SIGNAL = 254;

  private RequestedReplicas() {}

  static void advance(ReconcileContext context) {
    for (var role : context.job.roles()) {
      if (role.decides()) {
        decide(context, role);
      }
    }
    if (context.phase != Phase.RUNNING && context.phase != Phase.SCALING) {
      return;
    }
    for (var role : context.job.roles()) {
      if (role.pause() != Role.Pause.NONE) {
        pause(context, role);
      } else if (role.range().isFollowed()) {
        SpecReplicas.advance(context, role);
        if (context.phase.isEnd()) {
          return;
        }
      } else if (JobEngine.isSized(role)) {
        replaceFailed(context, role);
        replaceDeleted(context, role);
        endTogether(context, role);
        Start.make(context, role);
      }
    }
    tell(context);
  }

  static void decide(ReconcileContext context, Role role) {
    for (int index : List.copyOf(context.targets(role))) {
      var name = role.podName(index);
      var member = context.member(name);
      if (member.isPresent()) {
        decide(context, role, index, member.get());
      } else if (context.unseen(role).isEmpty()) {
        afterDeletion(context, role, index);
      }
    }
    Start.make(context, role);
  }

  private static void decide(ReconcileContext context, Role role, int index, Member member) {
    if (member.isDeleting()) {
      // One without a number leaves its name only once it is gone.
      if (member.hasEnded() && role.isNumbered()) {
        afterDeletion(context, role, index);
      }
    } else if (member.phase() == Member.Phase.SUCCEEDED) {
      if (context.job.roles().stream().noneMatch(other -> other.end() == Role.End.WITH_ALL)) {
        Ending.succeed(context);
      }
    } else if (member.phase() == Member.Phase.FAILED) {
      if (isReplaced(role.recovery().which(), member) && index < role.recovery().ofOne()) {
        lose(context, role, index, new Loss(how(member), true, true));
        return;
      }
      Ending.fail(
          context,
          member.isEvicted() ? News.Failed.Cause.EVICTED : News.Failed.Cause.MEMBER,
          member.reason().orElse(""));
    }
  }

  /** One without a number has its name again; the number of another tells how many went before. */
  private static void afterDeletion(ReconcileContext context, Role role, int index) {
    var name = role.podName(index);
    if (!isReplacedAfterDeletion(role.recovery().which()) || index >= role.recovery().ofOne()) {
      Ending.fail(context, News.Failed.Cause.MEMBER, name + " was deleted");
    } else if (role.isNumbered()) {
      lose(context, role, index, Loss.deletion(role));
    } else {
      context.tell(new News.MemberLost(name, "was deleted"));
      context.unseen(role).add(index);
    }
  }

  /** Gives a new index to each member that has failed and is to be replaced. */
  static void replaceFailed(ReconcileContext context, Role role) {
    if (!JobEngine.isSized(role)) {
      return;
    }
    var going = going(context);
    for (int index : List.copyOf(context.targets(role))) {
      var name = role.podName(index);
      var ended = context.member(name).filter(Member::hasEnded);
      if (ended.isEmpty() || context.hasEndedForGood(role, index) || going.contains(name)) {
        continue;
      }
      if (role.end() == Role.End.WITH_ALL && ended.get().hasDoneWell()) {
        context.ledger(role).orElseThrow().end(index, true);
      } else {
        lose(context, role, index, loss(role.recovery().which(), ended.get()));
      }
    }
  }

  private static Loss loss(Replacement which, Member member) {
    boolean counts = member.exitCode().filter(KILLED::contains).isEmpty();
    if (member.isDeleting()) {
      return new Loss("was deleted", isReplacedAfterDeletion(which), counts);
    }
    return new Loss(how(member), isReplaced(which, member), counts);
  }

  private static String how(Member member) {
    if (member.isEvicted()) {
      return "was evicted";
    }
    if (member.phase() != Member.Phase.FAILED) {
      return "has ended";
    }
    var why =
        Stream.concat(
                member.reason().stream(), member.exitCode().stream().map("exit code %d"::formatted))
            .collect(Collectors.joining(", "));
    return why.isEmpty() ? "has failed" : "has failed (%s)".formatted(why);
  }

  static boolean isReplaced(Replacement replacement, Member member) {
    boolean hasFailed = member.phase() == Member.Phase.FAILED;
    return switch (replacement) {
      case NEVER, ON_DELETION -> false;
      case ON_FAILURE, LOST -> hasFailed;
      case UNLESS_OUT_OF_MEMORY -> hasFailed && !isOutOfMemory(member);
      case UNLESS_FATAL -> hasFailed && member.exitCode().filter(code -> code == FATAL).isEmpty();
      case ALWAYS -> true;
      case ON_SIGNAL ->
          hasFailed
              && member
                  .exitCode()
                  .filter(code -> code >= FIRST_SIGNAL && code <= LAST_SIGNAL)
                  .isPresent();
    };
  }

  private static boolean isOutOfMemory(Member member) {
    return member.reason().filter("OOMKilled"::equals).isPresent()
        || member.exitCode().filter(code -> code == OUT_OF_MEMORY).isPresent();
  }

  private static boolean isReplacedAfterDeletion(Replacement replacement) {
    return switch (replacement) {
      case NEVER, ON_FAILURE, ON_SIGNAL -> false;
      case ALWAYS, LOST, ON_DELETION, UNLESS_FATAL, UNLESS_OUT_OF_MEMORY -> true;
    };
  }

  static void replaceDeleted(ReconcileContext context, Role role) {
    var going = going(context);
    for (int index : List.copyOf(context.targets(role))) {
      var name = role.podName(index);
      if (context.member(name).isEmpty()
          && !context.hasEndedForGood(role, index)
          && !context.unseen(role).contains(index)
          && !going.contains(name)) {
        lose(context, role, index, Loss.deletion(role));
      }
    }
  }

  /** Those of a role without ranks that are gone or have ended, and in whose place nobody comes. */
  static List<Integer> lostForGood(ReconcileContext context, Role role) {
    if (context.ledger(role).isPresent()) {
      return List.of();
    }
    var going = going(context);
    return context.targets(role).stream()
        .filter(index -> !context.unseen(role).contains(index))
        .filter(index -> !going.contains(role.podName(index)))
        .filter(index -> isLostForGood(context, role, role.podName(index)))
        .toList();
  }

  private static boolean isLostForGood(ReconcileContext context, Role role, String name) {
    var member = context.member(name);
    var loss =
        member.isEmpty()
            ? Optional.of(Loss.deletion(role))
            : member.filter(Member::hasEnded).map(m -> loss(role.recovery().which(), m));
    return loss.filter(l -> !l.isReplaced() || role.recovery().anHour() == 0).isPresent();
  }

  /**
   * How a member was lost.
   *
   * @param counts whether that brings its end nearer: nobody can help being killed from outside
   */
  private record Loss(String how, boolean isReplaced, boolean counts) {

    static Loss deletion(Role role) {
      return new Loss("was deleted", isReplacedAfterDeletion(role.recovery().which()), true);
    }
  }

  private static void lose(ReconcileContext context, Role role, int index, Loss loss) {
    context.tell(new News.MemberLost(role.podName(index), loss.how()));
    boolean isUsedUp =
        JobEngine.isSized(role)
            && loss.counts()
            && context.losses(role, index) >= role.recovery().ofOne();
    if (!loss.isReplaced() || isUsedUp) {
      context.ledger(role).ifPresent(ledger -> ledger.end(index, false));
      return;
    }
    if (!RestartBudget.spend(context, role)) {
      return;
    }
    context.burn(role, index);
    context.targets(role).remove(index);
    var next = context.nextIndex(role);
    context.assign(role, next);
    context.ledger(role).ifPresent(ledger -> ledger.succeed(index, next, loss.counts()));
    context.tell(new News.MembersReplaced(List.of(role.podName(next))));
  }

  /** Ends a job all of whose members have ended, or too few of whose are left. */
  static void endTogether(ReconcileContext context, Role role) {
    if (role.end() != Role.End.WITH_ALL || context.phase.isEnd()) {
      return;
    }
    var ledger = context.ledger(role).orElseThrow();
    var targets = context.targets(role);
    long well = targets.stream().filter(ledger::hasDoneWell).count();
    long ended = targets.stream().filter(ledger::hasEnded).count();
    long left = targets.size() - (ended - well);
    if (!targets.isEmpty() && ended == targets.size() && well > 0) {
      Ending.succeed(context);
    } else if (left < Math.min(Math.max(1, role.range().least()), targets.size())) {
      Ending.fail(
          context,
          News.Failed.Cause.TOO_FEW,
          "%d of %d %ss are left, and it needs %d"
              .formatted(left, targets.size(), role.name(), role.range().least()));
    }
  }

  /**
   * No member is made; who is to be away goes, and can come back as who it was. Who has done well
   * has ended for good, and the job with the last of them.
   */
  static void pause(ReconcileContext context, Role role) {
    if (role.end() == Role.End.WITH_ALL) {
      noticeEnds(context, role);
      endTogether(context, role);
    }
    if (role.pause() != Role.Pause.AWAY || context.phase.isEnd()) {
      return;
    }
    for (int index : context.targets(role)) {
      if (context.member(role.podName(index)).isEmpty() && !context.hasEndedForGood(role, index)) {
        context.unseen(role).add(index);
      }
    }
    context.members(role).stream().filter(member -> !member.hasEnded()).forEach(context::delete);
  }

  private static void noticeEnds(ReconcileContext context, Role role) {
    var ledger = context.ledger(role).orElseThrow();
    for (int index : context.targets(role)) {
      if (context.member(role.podName(index)).filter(Member::hasDoneWell).isPresent()) {
        ledger.end(index, true);
      }
    }
  }

  /** Those that a resize which is being carried out takes away. */
  private static Set<String> going(ReconcileContext context) {
    return context
        .current()
        .filter(resize -> Resizing.isRemoval(context, resize))
        .map(resize -> Set.copyOf(resize.plan()))
        .orElse(Set.of());
  }

  /** The members that the job should work with, by role and index. */
  static List<String> wanted(ReconcileContext context) {
    var names = new ArrayList<String>();
    var going = going(context);
    for (var role : context.job.roles()) {
      if (JobEngine.isSized(role)) {
        context.upNames(role).stream().filter(name -> !going.contains(name)).forEach(names::add);
      }
    }
    context
        .current()
        .filter(resize -> Resizing.joins(context, resize))
        .ifPresent(resize -> names.addAll(resize.plan()));
    return names;
  }

  /** An empty list would end the job; a job that has lost everybody keeps the last one. */
  private static void tell(ReconcileContext context) {
    var wanted = wanted(context);
    boolean isScripted =
        context.current().filter(resize -> resize.request().script().isPresent()).isPresent();
    if (!wanted.isEmpty()
        && !isScripted
        && context.deciding().filter(Member::isUp).isPresent()
        && !context.seen.told().equals(Optional.of(wanted))) {
      context.act(new Action.Tell(wanted));
    }
  }
}
