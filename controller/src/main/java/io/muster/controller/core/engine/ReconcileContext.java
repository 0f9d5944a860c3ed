package io.muster.controller.core.engine;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Passed;
import io.muster.controller.core.state.JobState.Passed.Step;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.core.state.RestartRound;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One reconcile of a job: what it wants, where it stands, what can be seen, and what has been
 * decided so far. The steps of the engine change it. Confined to one call.
 */
final class ReconcileContext {

  /** Between two reconciles of a job for which nothing is due sooner. */
  private static final Duration LONGEST = Duration.ofDays(1);

  /** For how long it counts that a member was made in place of another. */
  static final Duration REMEMBERED = Duration.ofHours(1);

  final Job job;
  final Observed seen;
  final Instant now;

  Phase phase;
  Optional<Instant> startedAt;
  Optional<Instant> endedAt;
  Optional<Instant> waitsSince;
  int restarts;
  Optional<String> resizing;
  final Map<String, TreeSet<Integer>> targets = new HashMap<>();
  final Map<String, TreeSet<Integer>> unseen = new HashMap<>();
  final Map<String, Integer> burnt;
  final Map<String, Integer> asked;
  final Map<String, Integer> owed;
  final Map<String, List<Instant>> replacedAt;
  final Set<Passed> passed;
  RestartRound mending;
  final Map<String, Map<Integer, String>> going = new HashMap<>();
  private final Map<String, Ledger> ledgers = new HashMap<>();
  private final Map<String, Member> members = new HashMap<>();

  private final Map<String, Resize> resizes = new LinkedHashMap<>();
  private final Set<String> changed = new LinkedHashSet<>();
  private final List<News> news = new ArrayList<>();
  private final Set<Action> actions = new LinkedHashSet<>();
  private Optional<Duration> again = Optional.empty();

  ReconcileContext(
      Job job, JobState state, Collection<Resize> resizes, Observed seen, Instant now) {
    this.job = job;
    this.seen = seen;
    this.now = now;
    phase = state.phase();
    startedAt = state.startedAt();
    endedAt = state.endedAt();
    waitsSince = state.waitsSince();
    restarts = state.restarts();
    resizing = state.resizing();
    state.targets().forEach((role, indices) -> targets.put(role, new TreeSet<>(indices)));
    state.unseen().forEach((role, indices) -> unseen.put(role, new TreeSet<>(indices)));
    burnt = new HashMap<>(state.burnt());
    asked = new HashMap<>(state.asked());
    owed = new HashMap<>(state.owed());
    replacedAt = new HashMap<>(state.replacedAt());
    passed = new HashSet<>(state.passed());
    mending = state.mending();
    mending.going().forEach((role, uids) -> going.put(role, new HashMap<>(uids)));
    job.roles().stream()
        .filter(Ledger::isKept)
        .map(Role::name)
        .forEach(role ->
            ledgers.put(role, new Ledger(state.standings().getOrDefault(role, Standing.NEW))));
    resizes.stream()
        .sorted(Comparator.comparing(Resize::request, ResizeRequest.ORDER))
        .forEach(resize -> this.resizes.put(resize.request().id(), resize));
    for (var member : seen.members()) {
      members.putIfAbsent(member.name(), member);
      Optional.ofNullable(unseen.get(member.role()))
          .ifPresent(indices -> indices.remove(member.index()));
    }
  }

  Outcome outcome() {
    var state =
        new JobState(
            phase,
            startedAt,
            endedAt,
            waitsSince.filter(_ -> phase == Phase.STARTING),
            restarts,
            lists(targets),
            lists(unseen),
            burnt,
            passed,
            resizing,
            asked,
            owed,
            replacedAt,
            standings(),
            mending.with(going));
    return new Outcome(
        state, changed.stream().map(resizes::get).toList(), news, List.copyOf(actions), again);
  }

  private static Map<String, List<Integer>> lists(Map<String, ? extends Set<Integer>> sets) {
    return sets.entrySet().stream()
        .filter(entry -> !entry.getValue().isEmpty())
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> List.copyOf(entry.getValue())));
  }

  private Map<String, Standing> standings() {
    var standings = new HashMap<String, Standing>();
    ledgers.forEach((role, ledger) -> standings.put(role, ledger.stored()));
    standings.values().removeIf(Standing.NEW::equals);
    return standings;
  }

  /** What is known of the role's members one by one; empty where nobody asks for it. */
  Optional<Ledger> ledger(Role role) {
    return Optional.ofNullable(ledgers.get(role.name()));
  }

  /** When members of the role were made in place of others within the last hour, in order. */
  List<Instant> replacedLately(Role role) {
    return replacedAt.getOrDefault(role.name(), List.of()).stream()
        .filter(at -> at.plus(REMEMBERED).isAfter(now))
        .sorted()
        .toList();
  }

  /** One more is made in place of another. */
  void noteReplacement(Role role) {
    replacedAt.put(
        role.name(), Stream.concat(replacedLately(role).stream(), Stream.of(now)).toList());
  }

  /** Whether it has ended and nobody takes its place. */
  boolean hasEndedForGood(Role role, int index) {
    return ledger(role).filter(ledger -> ledger.hasEnded(index)).isPresent();
  }

  /** The rank with which a pod of the role is made. */
  int rank(Role role, int index) {
    return ledger(role).map(ledger -> ledger.rank(index)).orElse(index);
  }

  /** How often who had its rank before was lost. */
  int losses(Role role, int index) {
    return ledger(role).map(ledger -> ledger.losses(ledger.rank(index))).orElse(0);
  }

  /** All members start anew. */
  void forgetMembers() {
    ledgers.replaceAll((_, _) -> new Ledger(Standing.NEW));
  }

  void tell(News item) {
    news.add(item);
  }

  void act(Action action) {
    actions.add(action);
  }

  /** Whether the job is told in this reconcile that it has that member. */
  boolean isTelling(String name) {
    return actions.stream()
        .anyMatch(action -> action instanceof Action.Tell(var members) && members.contains(name));
  }

  /** Reconciles again then, or earlier. */
  void lookAgainAt(Instant when) {
    var wait = Duration.between(now, when);
    var soonest = wait.isNegative() ? Duration.ZERO : wait;
    var rounded = soonest.compareTo(LONGEST) > 0 ? LONGEST : soonest;
    again = again.filter(earlier -> earlier.compareTo(rounded) <= 0).or(() -> Optional.of(rounded));
  }

  /** Whether that moment has come; reconciles again when it has. */
  boolean isDue(Instant when) {
    if (now.isBefore(when)) {
      lookAgainAt(when);
      return false;
    }
    return true;
  }

  Optional<Member> member(String name) {
    return Optional.ofNullable(members.get(name));
  }

  /** Those of these pods that are seen. */
  Stream<Member> members(List<String> names) {
    return names.stream().flatMap(name -> member(name).stream());
  }

  /** Whether it is seen to run, and is to stay. */
  boolean isUp(String name) {
    return member(name).filter(Member::isUp).isPresent();
  }

  List<Member> members(Role role) {
    return seen.members().stream().filter(member -> member.role().equals(role.name())).toList();
  }

  Set<Integer> targets(Role role) {
    return targets.computeIfAbsent(role.name(), _ -> new TreeSet<>());
  }

  Set<Integer> unseen(Role role) {
    return unseen.computeIfAbsent(role.name(), _ -> new TreeSet<>());
  }

  /** Uids of lost members whose names are given out again once they are gone, by index. */
  Map<Integer, String> going(Role role) {
    return going.computeIfAbsent(role.name(), _ -> new HashMap<>());
  }

  /** Those of its members that are not lost for good: its size, as users mean it. */
  List<Integer> counted(Role role) {
    return targets(role).stream().filter(index -> !isLost(role, index)).toList();
  }

  /** Those that are lost for good, and whose ranks nobody has. */
  List<Integer> lost(Role role) {
    return targets(role).stream().filter(index -> isLost(role, index)).toList();
  }

  private boolean isLost(Role role, int index) {
    return ledger(role).filter(ledger -> ledger.isLost(index)).isPresent();
  }

  /** Nobody is to take the place of so many of them any more, those with the lowest ranks. */
  void forgetLost(Role role, int count) {
    lost(role).stream()
        .sorted(Comparator.comparingInt((Integer index) -> rank(role, index)))
        .limit(count)
        .forEach(index -> forget(role, index));
  }

  /** That one is a member no more, and nobody has its index again. */
  void forget(Role role, int index) {
    burn(role, index);
    targets(role).remove(index);
    ledger(role).ifPresent(ledger -> ledger.leave(index));
  }

  List<String> targetNames(Role role) {
    return targets(role).stream().map(role::podName).toList();
  }

  /** Those of its members that run and are to stay, in the order of their indices. */
  List<String> upNames(Role role) {
    return targetNames(role).stream().filter(this::isUp).toList();
  }

  /** Whether all of the role are made, or all run, in this life of the job. */
  boolean hasPassed(Step step, String role) {
    return passed.contains(new Passed(step, role));
  }

  /** The member with which the job ends, if it is there; those that it took the place of may be. */
  Optional<Member> deciding() {
    return job.roles().stream()
        .filter(Role::decides)
        .flatMap(
            role -> members(role).stream().filter(member -> targets(role).contains(member.index())))
        .findFirst();
  }

  /**
   * An index that is above all the role has or is about to have, and that was never that of a
   * failed member.
   */
  int nextIndex(Role role) {
    int highest = targets(role).stream().mapToInt(Integer::intValue).max().orElse(-1);
    int taken = Math.max(highest, coming(role));
    return Math.max(taken, burnt.getOrDefault(role.name(), -1)) + 1;
  }

  /** The highest index that a resize which is being carried out gives to a new member, or -1. */
  private int coming(Role role) {
    var prefix = role.prefix() + "-";
    return current()
        .filter(resize -> resize.request().role().equals(role.name()) && !resize.plan().isEmpty())
        .map(resize -> resize.plan().getLast())
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()))
        .filter(number -> number.matches("[0-9]{1,9}"))
        .map(Integer::parseInt)
        .orElse(-1);
  }

  /** From now on the role has that index, and a pod is to be made for it. */
  void assign(Role role, int index) {
    targets(role).add(index);
    unseen(role).add(index);
  }

  /** No index that the role has had by now is given out again. */
  void burn(Role role, int index) {
    burnt.merge(role.name(), Math.max(index, nextIndex(role) - 1), Math::max);
  }

  List<Resize> resizes() {
    return List.copyOf(resizes.values());
  }

  /** The resize that is being carried out, if it is still wanted. */
  Optional<Resize> current() {
    return resizing.flatMap(id -> Optional.ofNullable(resizes.get(id)));
  }

  void store(Resize resize) {
    var id = resize.request().id();
    if (!resize.equals(resizes.put(id, resize))) {
      changed.add(id);
    }
  }

  /** Nothing is being carried out any more. */
  void endScaling() {
    resizing = Optional.empty();
    phase = Phase.RUNNING;
  }

  void succeed(Resize resize, boolean wasForced) {
    store(resize.ended(Stage.SUCCEEDED, now));
    tell(new News.ResizeSucceeded(resize.request().id(), wasForced));
  }

  void fail(Resize resize, ResizeFault fault) {
    store(resize.ended(Stage.FAILED, now));
    tell(new News.ResizeFailed(resize.request().id(), fault));
  }

  /** Whether it will go soon with its node. */
  boolean isLeaving(String name) {
    return seen.leaving().containsKey(name) && member(name).filter(m -> !m.hasEnded()).isPresent();
  }

  void delete(Member member) {
    if (!member.isDeleting()) {
      act(new Action.Delete(member.name(), member.uid()));
    }
  }
}
