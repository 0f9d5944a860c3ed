package io.muster.extender.core.decision.forecast;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Paper;
import io.muster.extender.core.protocol.query.RoomFor;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds places for those that {@link RoomFor} names, on paper: by what the same planner and the
 * same queues would say. The ledger stays as it is. Confined to one thread at a time.
 */
final class PaperPlaces {

  private final ClusterState cluster;
  private final GangPlans plans;

  PaperPlaces(ClusterState cluster, GangPlans plans) {
    this.cluster = cluster;
    this.plans = plans;
  }

  /** As {@link PlacementQueries#places} says. */
  List<Optional<List<String>>> places(List<RoomFor> asked, Collection<String> gone, Instant now) {
    var taken = new HashMap<String, Long>();
    return Paper.ask(
        cluster.planner(),
        cluster.inventory(),
        gone,
        paper -> asked.stream().map(each -> placed(paper, each, taken, now)).toList());
  }

  private Optional<List<String>> placed(
      Paper paper, RoomFor asked, Map<String, Long> taken, Instant now) {
    return switch (asked) {
      case RoomFor.Waiting(GangId id) ->
          cluster
              .gangs()
              .waiting(id)
              .filter(gang -> cluster.queues().refusal(gang).isEmpty())
              .flatMap(gang -> paper.place(plans.request(gang, Reservations.wanted(gang), now)));
      case RoomFor.Like(var uids) ->
          pods(uids)
              .filter(pods -> isAllowed(pods, taken))
              .flatMap(pods -> paper.place(GangRequest.of(likeThem(pods), Set.of())));
      case RoomFor.Placed(var uids, var nodes) ->
          pods(uids)
              .map(pods -> {
                isAllowed(pods, taken);
                for (int i = 0; i < nodes.size(); i++) {
                  paper.take(pods.get(i).shape(), nodes.get(i));
                }
                return nodes;
              });
    };
  }

  private Optional<List<Pod>> pods(List<String> uids) {
    var pods = uids.stream().flatMap(uid -> cluster.pod(uid).stream()).toList();
    return Optional.of(pods).filter(_ -> pods.size() == uids.size());
  }

  /** Who joins a gang is to be where its required level has it. */
  private List<Demand> likeThem(List<Pod> pods) {
    return pods.stream()
        .map(pod ->
            cluster.knownGangOf(pod).map(gang -> plans.likeMember(gang, pod)).orElseGet(pod::shape))
        .toList();
  }

  private static List<Demand> shapes(List<Pod> pods) {
    return pods.stream().map(Pod::shape).toList();
  }

  /** Whether their queues let so many more start, beside those that were asked about before. */
  private boolean isAllowed(List<Pod> pods, Map<String, Long> taken) {
    pods.forEach(
        pod -> taken.merge(cluster.queues().of(pod), pod.shape().requests().devices(), Long::sum));
    var held = cluster.queues().held();
    return pods.stream()
        .map(cluster.queues()::of)
        .distinct()
        .allMatch(queue -> cluster.queues().refusal(queue, taken.get(queue), held).isEmpty());
  }

  /** Whether one of them could be on that node, were it empty. */
  boolean couldUse(RoomFor asked, String node) {
    var shapes =
        switch (asked) {
          case RoomFor.Waiting(GangId id) ->
              cluster.gangs().waiting(id).map(PaperPlaces::demands).orElse(List.of());
          case RoomFor.Like(var uids) -> pods(uids).map(PaperPlaces::shapes).orElse(List.of());
          case RoomFor.Placed(var uids, var _) ->
              pods(uids).map(PaperPlaces::shapes).orElse(List.of());
        };
    return Set.copyOf(shapes).stream().anyMatch(shape -> cluster.inventory().isOpenTo(node, shape));
  }

  /** What those of a waiting gang ask for that start, and those that come later. */
  static List<Demand> demands(GangState gang) {
    return Stream.concat(
            gang.counts.chosen().stream().map(Pod::shape),
            gang.deferred.toCome().stream().map(Wanted::demand))
        .toList();
  }
}
