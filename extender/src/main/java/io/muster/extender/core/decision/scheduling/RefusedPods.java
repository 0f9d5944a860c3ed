package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.BackfillHolds;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Paper;
import io.muster.extender.core.plan.Snapshot;
import io.muster.extender.core.plan.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;

/**
 * Pods without a gang, or beyond their gang's minimum, that were refused for want of room or by
 * their queue: kube-scheduler is told to try them again when they fit, those of higher priority
 * first, then the older.
 *
 * <p>No more are woken than fit: until a woken pod is bound, its place counts as taken for the
 * others here. If it is refused again or does not come, they get their turn, and for a while its
 * place counts no more. Confined to the decision thread.
 */
final class RefusedPods {

  /** What a woken pod takes to come, beyond the backoff of kube-scheduler. */
  private static final Duration ON_ITS_WAY = Duration.ofSeconds(5);

  /** After that one that was woken in vain is treated like any other. */
  private static final Duration LEFT_OUT = Duration.ofMinutes(1);

  private static final Comparator<Candidate> FIRST =
      Comparator.comparingInt((Candidate one) -> one.pod().origin().priority())
          .reversed()
          .thenComparing(one -> one.pod().origin().createdAt())
          .thenComparing(one -> one.pod().key().uid());

  /**
   * What the planner is asked for a pod: equal questions have one answer.
   *
   * @param open gangs whose backfill reservations the pod may take
   */
  private record Question(
      Demand demand, Set<String> excluded, boolean mayUseKept, List<GangState> open) {}

  private record Candidate(Pod pod, Question question) {}

  /**
   * A pod that was woken.
   *
   * @param place where it was found to fit
   * @param isInVain whether it has not taken its place in time
   */
  private record Woken(
      Demand demand, String place, String queue, Instant since, boolean isInVain) {}

  private final ClusterState cluster;
  private final GangPlans plans;
  private final BiFunction<Snapshot, GangRequest, Verdict> planner;

  /** Those that were found not to fit, what they asked for, and the state of the ledger then. */
  private final Set<String> tried = new HashSet<>();

  private final Set<Question> unfit = new HashSet<>();
  private long triedIn = -1;

  /** When time alone may make one of them fit: a node is forgiven. */
  private Instant again = Instant.MAX;

  private final Map<String, Woken> woken = new LinkedHashMap<>();

  /** By queue, devices of woken pods that have not come yet. */
  private final Map<String, Long> coming = new HashMap<>();

  RefusedPods(
      ClusterState cluster, GangPlans plans, BiFunction<Snapshot, GangRequest, Verdict> planner) {
    this.cluster = cluster;
    this.plans = plans;
    this.planner = planner;
  }

  /** The rules have changed: what did not go may go now. */
  void beginAnew() {
    tried.clear();
    unfit.clear();
    again = Instant.MAX;
  }

  /** Whether time alone, or what has become of a woken pod, has made it worth a check. */
  boolean isTimeUp(Instant now) {
    return !now.isBefore(again)
        || woken.entrySet().stream()
            .anyMatch(each -> !each.getValue().isInVain() && isOver(each, now));
  }

  /** Wakes those that fit now, and have not been tried since anything came free. */
  void wake(Instant now) {
    boolean isLeftOver = settle(now);
    if (isLeftOver || cluster.inventory().generation() != triedIn || !now.isBefore(again)) {
      triedIn = cluster.inventory().generation();
      beginAnew();
    }
    var candidates = candidates(now);
    if (candidates.isEmpty()) {
      return;
    }
    candidates.sort(FIRST);
    Paper.ask(
        cluster.planner(),
        cluster.inventory(),
        List.of(),
        paper -> {
          coming.clear();
          woken.values().stream()
              .filter(each -> !each.isInVain())
              .forEach(each -> expect(each, paper));
          var known = cluster.queues().held();
          ToLongFunction<String> held =
              queue -> known.applyAsLong(queue) + coming.getOrDefault(queue, 0L);
          candidates.forEach(each -> tryOne(each, paper, held, now));
          return paper;
        });
  }

  /**
   * Takes in what has become of those that were woken; whether one has left its place to others.
   */
  private boolean settle(Instant now) {
    boolean isLeftOver = false;
    for (var each : List.copyOf(woken.entrySet())) {
      var uid = each.getKey();
      var known = each.getValue();
      boolean isOver = isOver(each, now);
      var node = cluster.inventory().nodeOf(uid);
      isLeftOver |= !known.isInVain() && isOver && !node.equals(Optional.of(known.place()));
      if (node.isPresent() || !isThere(uid) || !now.isBefore(known.since().plus(leftOut()))) {
        woken.remove(uid);
      } else if (isOver && !known.isInVain()) {
        woken.put(
            uid, new Woken(known.demand(), known.place(), known.queue(), known.since(), true));
      }
    }
    return isLeftOver;
  }

  /** Whether nothing is expected of it any more. */
  private boolean isOver(Map.Entry<String, Woken> each, Instant now) {
    var uid = each.getKey();
    return cluster.inventory().nodeOf(uid).isPresent()
        || cluster.refusedSingles().containsKey(uid)
        || !isThere(uid)
        || !now.isBefore(each.getValue().since().plus(longest()));
  }

  /** So long a woken pod may take. */
  private Duration longest() {
    return cluster.deadlines().podMaxBackoff().plus(ON_ITS_WAY);
  }

  private Duration leftOut() {
    return LEFT_OUT.compareTo(longest()) > 0 ? LEFT_OUT : longest();
  }

  private boolean isThere(String uid) {
    return cluster.pod(uid).filter(known -> !known.isBound() && !known.isTerminal()).isPresent();
  }

  /** It will take its place before long, which is no other's until then. */
  private void expect(Woken one, Paper paper) {
    paper.take(one.demand(), one.place());
    coming.merge(one.queue(), one.demand().requests().devices(), Long::sum);
  }

  private List<Candidate> candidates(Instant now) {
    var candidates = new ArrayList<Candidate>();
    for (var pod : List.copyOf(cluster.refusedSingles().values())) {
      var uid = pod.key().uid();
      if (!isThere(uid)) {
        cluster.refusedSingles().remove(uid);
      } else if (tried.add(uid)) {
        // A fault here is its own: the next round goes on with the others.
        var question = question(pod, now);
        if (!unfit.contains(question)) {
          tried.remove(uid);
          candidates.add(new Candidate(pod, question));
        }
      }
    }
    return candidates;
  }

  private Question question(Pod pod, Instant now) {
    var gang = cluster.knownGangOf(pod).filter(GangState::satisfied);
    var excluded = gang.map(of -> of.setbacks.excluded(now)).orElse(Set.of());
    gang.stream()
        .filter(_ -> !excluded.isEmpty())
        .flatMap(of -> of.setbacks.exclusionEnds())
        .filter(again::isAfter)
        .forEach(at -> again = at);
    return new Question(
        gang.map(of -> plans.besideSiblings(of, pod)).orElse(pod.demand()),
        excluded,
        gang.filter(of -> !of.counts.isBelow()).isEmpty(),
        cluster.backfillHolds().openTo(pod));
  }

  private void tryOne(Candidate one, Paper paper, ToLongFunction<String> held, Instant now) {
    tried.add(one.pod().key().uid());
    var question = one.question();
    if (unfit.contains(question) || cluster.queues().refusal(one.pod(), held).isPresent()) {
      return;
    }
    var part = new GangRequest.Part(List.of(question.demand()), Topology.ANYWHERE);
    var request = new GangRequest(List.of(part), question.excluded(), question.mayUseKept());
    var verdict =
        cluster
            .inventory()
            .asIfGone(
                BackfillHolds.names(question.open()),
                () -> planner.apply(cluster.inventory().snapshot(), request));
    switch (verdict) {
      case Verdict.NoRoom _ -> unfit.add(question);
      case Verdict.Placed(var nodes) -> wake(one, nodes.getFirst(), paper, now);
    }
  }

  private void wake(Candidate one, String node, Paper paper, Instant now) {
    var uid = one.pod().key().uid();
    cluster.refusedSingles().remove(uid);
    tried.remove(uid);
    cluster.wake(one.pod().key());
    // One that was woken in vain a moment ago keeps nobody waiting.
    if (!woken.containsKey(uid)) {
      var queue = cluster.queues().of(one.pod());
      var expected = new Woken(one.question().demand(), node, queue, now, false);
      expect(expected, paper);
      woken.put(uid, expected);
    }
  }
}
