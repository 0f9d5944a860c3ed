package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The preemption of a {@link SimulatedScheduler}, for pods without a gang: on one node it ends as
 * few pods of lower priority as will do, nominates the node to the pod, and keeps it from pods of
 * lower priority. After {@code DefaultPreemption} of kube-scheduler 1.36.
 */
final class SimulatedPreemption {

  private static final int MOST_ROUNDS = 3;

  private final ClusterSimulation cluster;
  private final SimulatedMuster muster;
  private final Inventory assumed;

  /** Uids of pods that it has ended. */
  private final Set<String> ended = new HashSet<>();

  /** How often it has ended others for a pod since nothing goes wrong any more. */
  private final Map<PodKey, Integer> rounds = new HashMap<>();

  /** Whether there is any: histories that were drawn without it stay as they are. */
  boolean isOn;

  /** Whether no room is lost again for which others have ended. */
  boolean isQuiet;

  SimulatedPreemption(ClusterSimulation cluster, SimulatedMuster muster, Inventory assumed) {
    this.cluster = cluster;
    this.muster = muster;
    this.assumed = assumed;
  }

  /** Whether the pod would have room there beside those to which the node is nominated. */
  boolean leaves(Pod pod, String node) {
    if (!isOn) {
      return true;
    }
    var others =
        nominatedTo(node).stream()
            .filter(other -> !other.key().equals(pod.key()))
            .filter(other -> other.origin().priority() >= pod.origin().priority())
            .filter(other -> assumed.nodeOf(other.key().uid()).isEmpty())
            .toList();
    if (others.isEmpty()) {
      return true;
    }
    others.forEach(other -> assumed.occupy(other.key().uid(), node, other.demand().requests()));
    boolean isLeft = assumed.fits(node, pod.demand());
    others.forEach(other -> assumed.setAside(other.key().uid()));
    return isLeft;
  }

  /** For whom it has ended others again and again. */
  List<PodKey> servedInVain() {
    return rounds.entrySet().stream()
        .filter(entry -> entry.getValue() > MOST_ROUNDS)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Who waits for pods that it has ended, and the node that it keeps from others. */
  Map<Pod, String> promised() {
    var promised = new HashMap<Pod, String>();
    cluster.pods.values().stream()
        .filter(pod -> ToldCluster.isLive(pod) && !pod.isBound() && awaitsItsVictims(pod))
        .forEach(pod -> promised.put(pod, pod.progress().nominatedNode().orElseThrow()));
    return promised;
  }

  private List<Pod> nominatedTo(String node) {
    return cluster.pods.values().stream()
        .filter(pod -> ToldCluster.isLive(pod) && !pod.isBound())
        .filter(pod -> pod.progress().nominatedNode().equals(Optional.of(node)))
        .toList();
  }

  /** It is tried first. */
  Optional<String> nominated(Pod pod, List<String> feasible) {
    return pod.progress().nominatedNode().filter(_ -> isOn).filter(feasible::contains);
  }

  /**
   * Ends others for a pod that has no node, if that helps.
   *
   * @return whether it did, or has before and they are still there
   */
  boolean tryFor(Pod pod) {
    if (!isOn || pod.membership().isPresent()) {
      return false;
    }
    if (awaitsItsVictims(pod)) {
      return true;
    }
    var victims = new TreeMap<String, List<Pod>>();
    for (var node : cluster.nodes.keySet()) {
      var on = victims(pod, node);
      if (!on.isEmpty()) {
        victims.put(node, on);
      }
    }
    if (cluster.rules.placement().isAsked() && pod.reachesMuster()) {
      if (!muster.answers()) {
        return false;
      }
      victims.keySet().retainAll(muster.preemptable(pod, uids(victims)));
    }
    var chosen =
        victims.entrySet().stream()
            .min(
                Comparator.comparingInt((Map.Entry<String, List<Pod>> on) -> highest(on.getValue()))
                    .thenComparingInt(on -> on.getValue().size()));
    nominate(pod, chosen.map(Map.Entry::getKey));
    chosen.ifPresent(on -> {
      if (isQuiet) {
        rounds.merge(pod.key(), 1, Integer::sum);
      }
      on.getValue().forEach(this::end);
    });
    return chosen.isPresent();
  }

  /**
   * Whether it waits, though others could be ended for it that do end, and it waits for nobody.
   *
   * @param occupied by pods, and by what is kept for some
   */
  boolean isOverdue(Pod pod, Inventory occupied) {
    return isOn
        && pod.membership().isEmpty()
        && !pod.isBound()
        && !awaitsItsVictims(pod)
        && cluster.nodes.keySet().stream().anyMatch(node -> wouldLeave(pod, node, occupied));
  }

  private boolean wouldLeave(Pod pod, String node, Inventory occupied) {
    var on = victims(pod, node);
    if (on.isEmpty() || on.stream().anyMatch(other -> isSpared(other, pod))) {
      return false;
    }
    var wanted = wantedByOthers(pod, node);
    wanted.forEach((holder, requests) -> occupied.occupy(holder, node, requests));
    boolean fits =
        fitsWithout(on.stream().map(other -> other.key().uid()).toList(), pod, node, occupied);
    wanted.keySet().forEach(occupied::setAside);
    return fits;
  }

  /** What backfill reservations of gangs that come before the pod would take of what is left. */
  private Map<String, Resources> wantedByOthers(Pod pod, String node) {
    var wanted = new HashMap<String, Resources>();
    if (cluster.rules.placement().isAsked()) {
      for (var gang : cluster.muster().cluster().backfillHolds().gangs()) {
        var backfill = gang.entry.backfill().orElseThrow();
        long held = backfill.held.getOrDefault(node, 0L);
        long more =
            backfill.wanted.getOrDefault(node, Map.of()).values().stream()
                    .mapToLong(Long::longValue)
                    .sum()
                - held;
        if (gang.priority() >= pod.origin().priority() && more > 0) {
          wanted.put("wanted for " + gang.id, new Resources(0, 0, Map.of("nvidia.com/gpu", more)));
        }
      }
    }
    return wanted;
  }

  /** Where Muster is asked, it spares gangs that come before the pod, or are being completed. */
  private boolean isSpared(Pod victim, Pod pod) {
    return cluster.neverEnds.test(victim)
        || (cluster.rules.placement().isAsked()
            && cluster
                .muster()
                .cluster()
                .knownGangOf(victim)
                .filter(gang ->
                    gang.priority() >= pod.origin().priority()
                        || (gang.phase() == Phase.BROKEN && !gang.satisfied()))
                .isPresent());
  }

  private static Map<String, Set<String>> uids(Map<String, List<Pod>> victims) {
    var uids = new HashMap<String, Set<String>>();
    victims.forEach((node, pods) ->
        uids.put(node, pods.stream().map(pod -> pod.key().uid()).collect(Collectors.toSet())));
    return uids;
  }

  private static int highest(List<Pod> pods) {
    return pods.stream().mapToInt(pod -> pod.origin().priority()).max().orElseThrow();
  }

  private boolean awaitsItsVictims(Pod pod) {
    return pod.progress().nominatedNode().stream()
        .flatMap(node -> on(node).stream())
        .anyMatch(other ->
            other.origin().priority() < pod.origin().priority()
                && ended.contains(other.key().uid()));
  }

  private List<Pod> on(String node) {
    return cluster.pods.values().stream()
        .filter(pod -> !pod.isTerminal())
        .filter(pod -> pod.progress().nodeName().equals(Optional.of(node)))
        .toList();
  }

  /** Whom it would end there; nobody where that does not help, or is not needed. */
  private List<Pod> victims(Pod pod, String node) {
    var lower =
        on(node).stream()
            .filter(other -> other.origin().priority() < pod.origin().priority())
            .sorted(Comparator.comparingInt((Pod other) -> other.origin().priority()).reversed())
            .toList();
    var gone = new ArrayList<>(lower.stream().map(other -> other.key().uid()).toList());
    if (lower.isEmpty() || !fitsWithout(gone, pod, node, assumed)) {
      return List.of();
    }
    for (var other : lower) {
      gone.remove(other.key().uid());
      if (!fitsWithout(gone, pod, node, assumed)) {
        gone.add(other.key().uid());
      }
    }
    return lower.stream().filter(other -> gone.contains(other.key().uid())).toList();
  }

  private boolean fitsWithout(List<String> gone, Pod pod, String node, Inventory occupied) {
    return occupied.asIfGone(gone, () -> occupied.fits(node, pod.demand()) && leaves(pod, node));
  }

  private void nominate(Pod pod, Optional<String> node) {
    var before = pod.progress();
    if (!before.nominatedNode().equals(node)) {
      cluster.store(
          pod.at(
              new Pod.Progress(
                  before.phase(),
                  before.nodeName(),
                  node,
                  before.deleting(),
                  before.gates(),
                  before.rejection(),
                  before.awaitsVolumes(),
                  before.absentClaim(),
                  before.startedAt(),
                  before.endsBy())));
    }
  }

  private void end(Pod victim) {
    var uid = victim.key().uid();
    ended.add(uid);
    cluster.after(cluster.between(0, 50), () -> cluster.delete(uid));
  }
}
