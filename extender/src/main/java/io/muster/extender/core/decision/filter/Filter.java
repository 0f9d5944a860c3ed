package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.cache.BackfillHolds;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import io.muster.extender.core.queue.Refusal;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * Answers filter and prioritize. The texts are constant for a state: a changing one would wake the
 * pod it refuses. Guaranteed: repeating a call changes nothing.
 */
public final class Filter {

  public static final String WAITS = "muster: gang waits for capacity";
  public static final String INVALID = "muster: gang is not initialised";
  public static final String NO_ROOM =
      "muster: too little room is free that is not reserved for gangs";
  static final String NOT_FOR_GANG =
      "muster: node is closed to the gang, or too little room is free there";
  static final String PLACE_ELSEWHERE = "muster: the pod has its place on another node";
  static final String QUEUE_FULL = "muster: the queue has no devices left";
  static final String QUEUE_CLOSED = "muster: the pod may not be in the queue that it names";
  static final String QUEUE_KEPT = "muster: the queue keeps its devices for an older gang";
  static final String ENDS_FIRST =
      "muster: another pod of its Job has to end first, as podReplacementPolicy says";
  public static final String NOT_SEEN = "muster: the pod is not seen yet";
  public static final String GONE = "muster: the pod has gone";
  public static final String NOT_PLANNED = "muster: node is not in the gang's plan";

  private static final int HIGHEST_SCORE = 10;

  private final ClusterState cluster;
  private final GangPlans plans;
  private final Reservations reservations;
  private final Sampling sampling;
  private final NominatedRoom nominated;

  public Filter(ClusterState cluster, GangPlans plans, Reservations reservations) {
    this.cluster = cluster;
    this.plans = plans;
    this.reservations = reservations;
    this.sampling = new Sampling(cluster);
    this.nominated = new NominatedRoom(cluster);
  }

  public Answer answer(Pod pod, List<String> offered, Instant now) {
    if (pod.origin().nativeGang() || !cluster.isAsked()) {
      return new Answer.Accept(offered, "");
    }
    if (pod.isBound()) {
      return only(pod.progress().nodeName().orElseThrow(), offered, NOT_PLANNED);
    }
    return cluster
        .gangOf(pod)
        .map(gang -> member(gang, pod, offered, now))
        .orElseGet(() ->
            pod.demand().requests().extended().isEmpty()
                ? new Answer.Accept(offered, "")
                : single(pod, offered, NodeState::hasListedRoomFor, NO_ROOM));
  }

  /** Nodes that the planner would take first score higher. */
  public Answer.Scores scores(Pod pod, List<String> offered) {
    var rooms =
        cluster
            .planner()
            .ranked(
                pod.demand(),
                offered.stream().flatMap(name -> cluster.inventory().room(name).stream()).toList());
    var scores = new HashMap<String, Integer>();
    for (int i = 0; i < rooms.size(); i++) {
      scores.put(rooms.get(i).node().name(), HIGHEST_SCORE - HIGHEST_SCORE * i / rooms.size());
    }
    return new Answer.Scores(scores);
  }

  private Answer single(
      Pod pod, List<String> offered, BiPredicate<NodeState, Resources> hasRoom, String refusal) {
    var uid = pod.key().uid();
    var requests = pod.demand().requests();
    var own = cluster.inventory().nodeOf(uid).filter(offered::contains);
    if (own.isPresent()) {
      return only(own.get(), offered, PLACE_ELSEWHERE);
    }
    if (cluster.pods().mustWait(pod)) {
      return new Answer.Refuse(ENDS_FIRST);
    }
    var refused = cluster.queues().refusal(pod, nominated.held(pod));
    if (refused.isPresent()) {
      cluster.refusedSingles().put(uid, pod);
      return new Answer.Refuse(words(refused.get()));
    }
    Supplier<List<String>> roomy =
        () ->
            offered.stream()
                .filter(name ->
                    cluster
                        .inventory()
                        .room(name)
                        .filter(room -> hasRoom.test(room, requests))
                        .isPresent())
                .toList();
    var nodes = roomy.get();
    if (nodes.isEmpty()) {
      nodes = nominated.among(pod, offered);
    }
    if (nodes.isEmpty()) {
      var kept = BackfillHolds.names(cluster.backfillHolds().openTo(pod));
      nodes = kept.isEmpty() ? nodes : cluster.inventory().asIfGone(kept, roomy);
    }
    if (nodes.isEmpty()) {
      cluster.refusedSingles().put(uid, pod);
      return new Answer.Refuse(refusal);
    }
    cluster.refusedSingles().remove(uid);
    return new Answer.Accept(nodes, refusal);
  }

  /** What kube-scheduler is told of that refusal: one text for each kind. */
  static String words(Refusal refusal) {
    return switch (refusal) {
      case Refusal.Unknown _, Refusal.Barred _ -> QUEUE_CLOSED;
      case Refusal.Behind _ -> QUEUE_KEPT;
      case Refusal.Limit _, Refusal.Quota _, Refusal.Lasting _ -> QUEUE_FULL;
    };
  }

  private Answer member(GangState gang, Pod pod, List<String> offered, Instant now) {
    boolean isUnknown = gang.terms.quorum().isEmpty() && !gang.satisfied();
    if (isUnknown || !gang.mayBePlaced(pod)) {
      gang.refused.add(pod.key().uid());
      return new Answer.Refuse(INVALID);
    }
    if (gang.satisfied() && gang.losses.isRestartDue()) {
      return refuse(gang, pod);
    }
    if (gang.satisfied()) {
      var closed = closed(gang, pod, offered, now);
      return single(
          pod,
          offered,
          (room, requests) -> !closed.contains(room.node().name()) && room.hasRoomFor(requests),
          closed.isEmpty() ? NO_ROOM : NOT_FOR_GANG);
    }
    if (gang.deferred.includes(pod)) {
      return refuse(gang, pod);
    }
    if (gang.phase() == Phase.BINDING || gang.phase() == Phase.BROKEN) {
      var recorded = gang.record.node(pod.key().uid());
      if (recorded.isPresent()) {
        return only(recorded.get(), offered, NOT_PLANNED);
      }
      return refuse(gang, pod);
    }
    gang.reservation.asked(pod.key().uid());
    sampling.offered(gang, pod, offered, now);
    var place = gang.reservation.node(pod.key().uid());
    if (place.isEmpty()) {
      return refuse(gang, pod);
    }
    if (offered.contains(place.get())) {
      return only(place.get(), offered, NOT_PLANNED);
    }
    if (offered.size() == 1
        && pod.progress().nominatedNode().equals(Optional.of(offered.getFirst()))) {
      // kube-scheduler tries the nominated node alone first; the full list follows at once.
      return new Answer.Refuse(NOT_PLANNED);
    }
    if (sampling.isPossibleFor(pod)) {
      cluster.metricsEvents().missed(PlanMiss.NOT_IN_SAMPLE);
    } else {
      cluster.metricsEvents().missed(PlanMiss.IN_TREE_REJECTED);
      gang.setbacks.blame(place.get(), now);
    }
    var better = reservations.bestOffered(gang, pod, offered, gang.setbacks.excluded(now));
    if (better.isEmpty()) {
      return reservations
          .swap(gang, pod, offered, now)
          .map(node -> only(node, offered, NOT_PLANNED))
          .orElseGet(() -> refuse(gang, pod));
    }
    reservations.answerHeld(gang, pod.key().uid(), "the place of this member has moved");
    reservations.place(gang, pod, better.get());
    cluster.planAgain();
    return only(better.get(), offered, NOT_PLANNED);
  }

  /**
   * Nodes that have failed the gang, are outside the domain where the pod must be, or are kept in
   * reserve for gangs that lack members.
   */
  private Set<String> closed(GangState gang, Pod pod, List<String> offered, Instant now) {
    var closed = new HashSet<>(gang.setbacks.excluded(now));
    if (!gang.counts.isBelow()) {
      closed.addAll(cluster.inventory().keptNodes());
    }
    var demand = plans.besideSiblings(gang, pod);
    if (!demand.equals(pod.demand())) {
      offered.stream()
          .filter(name ->
              cluster.inventory().room(name).filter(room -> demand.selects(room.node())).isEmpty())
          .forEach(closed::add);
    }
    return closed;
  }

  private Answer refuse(GangState gang, Pod pod) {
    gang.refused.add(pod.key().uid());
    return new Answer.Refuse(WAITS);
  }

  private static Answer only(String node, List<String> offered, String refusal) {
    return offered.contains(node)
        ? new Answer.Accept(List.of(node), refusal)
        : new Answer.Refuse(refusal);
  }
}
