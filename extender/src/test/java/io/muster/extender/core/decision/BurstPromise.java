package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.plan.NodeState;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The promise, asked of what Muster sends and not of what it has noted: when the first member of a
 * gang that has not started is bound or released, then by all that Muster has been told at that
 * moment as many live members as are needed have a node that is there, takes them, and has room for
 * them beside all pods on it. And nobody ends whom nobody makes anew, but where he has said so, or
 * for others where his user has taken him from his controller.
 */
final class BurstPromise {

  private final ClusterSimulation cluster;
  private final ToldCluster told;
  private GangScheduler protocol;

  /** Gangs of which as many as are needed were once seen on nodes together, and not none since. */
  private final Set<GangId> started = new HashSet<>();

  /** Nodes of pods with a Binding under way. */
  private final Map<String, String> underWay = new HashMap<>();

  /** Pods of which Muster was not told what became of their Binding. */
  private final Set<String> unanswered = new HashSet<>();

  BurstPromise(ClusterSimulation cluster, ToldCluster told) {
    this.cluster = cluster;
    this.told = told;
  }

  /** Another life of Muster begins. */
  void begin(GangScheduler living) {
    protocol = living;
    underWay.clear();
    unanswered.clear();
  }

  /** Whether the gang has started, as far as has been told. */
  boolean hasStarted(GangId unit) {
    return started.contains(unit);
  }

  void check(Event event, List<Effect> effects) {
    if (event instanceof Event.BindingEnded ended) {
      underWay.remove(ended.pod().uid());
      if (ended.outcome() instanceof BindingOutcome.Unanswered) {
        unanswered.add(ended.pod().uid());
      } else {
        unanswered.remove(ended.pod().uid());
      }
    }
    note(event);
    check(effects);
  }

  private void note(Event event) {
    boolean isTick = event instanceof Event.Tick;
    var units = new TreeSet<GangId>();
    if (isTick) {
      units.addAll(started);
    } else if (event instanceof Event.PodSeen(Pod pod)) {
      unitOf(pod).ifPresent(units::add);
    } else if (event instanceof Event.BindingEnded ended) {
      Optional.ofNullable(told.pods.get(ended.pod().uid()))
          .flatMap(this::unitOf)
          .ifPresent(units::add);
    } else if (event instanceof Event.Ready) {
      told.pods.values().forEach(pod -> unitOf(pod).ifPresent(units::add));
    }
    for (var unit : units) {
      var out = membersOf(unit).stream().filter(this::hasStarted).toList();
      if (isWhole(unit, out)) {
        started.add(unit);
      } else if (isTick && out.isEmpty() && nobodyIsUnderWay(unit)) {
        started.remove(unit);
      }
    }
  }

  private boolean hasStarted(Pod pod) {
    return pod.progress().phase() == Pod.Phase.SUCCEEDED
        || (ToldCluster.isLive(pod) && told.nodeOf(pod).isPresent());
  }

  private boolean nobodyIsUnderWay(GangId unit) {
    return membersOf(unit).stream()
        .map(pod -> pod.key().uid())
        .noneMatch(uid -> underWay.containsKey(uid) || unanswered.contains(uid));
  }

  /** Looks at what a call or an event has led to. */
  void check(List<Effect> effects) {
    var sent = new LinkedHashMap<GangId, Map<String, String>>();
    for (var effect : effects) {
      if (effect instanceof Effect.Bind bind) {
        note(bind.pod(), bind.node(), sent);
      } else if (effect instanceof Effect.Release release) {
        note(release.pod(), release.pin().nodes().getFirst(), sent);
      } else if (effect instanceof Effect.Evict evict) {
        checkEnd(evict);
      } else if (effect instanceof Effect.Remake remake) {
        Optional.ofNullable(told.pods.get(remake.pod().uid()))
            .filter(pod -> told.nodeOf(pod).isPresent())
            .ifPresent(
                pod -> cluster.faults.add(pod.key() + " has started and was to be recreated"));
      }
    }
    sent.forEach(this::checkBurst);
    for (var effect : effects) {
      if (effect instanceof Effect.Bind bind) {
        checkRoom(bind);
        underWay.put(bind.pod().uid(), bind.node());
      }
    }
  }

  private void note(PodKey pod, String node, Map<GangId, Map<String, String>> sent) {
    Optional.ofNullable(told.pods.get(pod.uid()))
        .filter(known -> !cluster.looksOn(known))
        .flatMap(this::unitOf)
        .ifPresent(
            unit -> sent.computeIfAbsent(unit, _ -> new LinkedHashMap<>()).put(pod.uid(), node));
  }

  private void checkEnd(Effect.Evict evict) {
    if (evict.reason().equals(Effect.Evict.RUN_TIME_LIMIT)) {
      checkEndAtLimit(evict);
    } else {
      checkEndForOthers(evict);
    }
  }

  /** What is ended for its limit may be made anew by nobody, but it is stored before. */
  private void checkEndAtLimit(Effect.Evict evict) {
    Optional.ofNullable(told.pods.get(evict.pod().uid()))
        .flatMap(this::unitOf)
        .filter(unit ->
            Optional.ofNullable(cluster.records.get(unit))
                .flatMap(GangRecord::limitReached)
                .isEmpty())
        .ifPresent(_ -> cluster.faults.add(cluster.now() + " before it is stored " + evict));
  }

  private void checkEndForOthers(Effect.Evict evict) {
    var pod = Optional.ofNullable(told.pods.get(evict.pod().uid()));
    boolean mayEnd =
        pod.filter(known ->
                known.origin().controllerUid().isPresent()
                    || (known.origin().controlled()
                        && evict.reason().equals(Effect.Evict.PREEMPTION))
                    || known.wishes().hints().preemptible().orElse(false))
            .isPresent();
    if (pod.isPresent() && !mayEnd) {
      cluster.faults.add(cluster.now() + " nobody makes anew " + evict);
    }
  }

  private void checkBurst(GangId unit, Map<String, String> sent) {
    var members = membersOf(unit);
    if (started.contains(unit) || members.stream().anyMatch(this::isOut)) {
      return;
    }
    var places = new LinkedHashMap<String, String>();
    protocol
        .cluster()
        .gangs()
        .find(unit)
        .ifPresent(
            gang -> gang.record.places().forEach((uid, place) -> places.put(uid, nodeOf(place))));
    places.putAll(sent);
    var rooms = roomsWithout(places.keySet());
    var placed = new ArrayList<Pod>();
    for (var pod : members) {
      var room = Optional.ofNullable(places.get(pod.key().uid())).map(rooms::get);
      if (room.filter(there -> there.fits(pod.demand())).isPresent()) {
        rooms.computeIfPresent(
            places.get(pod.key().uid()), (_, there) -> there.with(pod.demand().requests()));
        placed.add(pod);
      }
    }
    if (!isWhole(unit, placed)) {
      cluster.faults.add(
          "%s %s goes with %d members that have a place that will do, of %s"
              .formatted(cluster.now(), unit, placed.size(), places));
    }
  }

  /**
   * Whoever it is, nobody is sent where there is known to be no room. What a node does not list is
   * kube-scheduler's matter for a pod without a gang: it may have seen the node list it sooner.
   */
  private void checkRoom(Effect.Bind bind) {
    var uid = bind.pod().uid();
    var pod = Optional.ofNullable(told.pods.get(uid)).filter(known -> !cluster.looksOn(known));
    if (pod.isEmpty() || told.nodeOf(pod.get()).isPresent()) {
      return;
    }
    var rooms = roomsWithout(Set.of(uid));
    var requests = pod.get().demand().requests();
    boolean isAlone = pod.get().membership().isEmpty();
    boolean hasRoom =
        Optional.ofNullable(rooms.get(bind.node()))
            .filter(room -> isAlone ? room.hasListedRoomFor(requests) : room.hasRoomFor(requests))
            .isPresent();
    if (!hasRoom) {
      cluster.faults.add(
          "%s %s goes to %s, which has no room: %s"
              .formatted(cluster.now(), bind.pod(), bind.node(), rooms.get(bind.node())));
    }
  }

  /** Each node with all that is on it or on its way there, but for these. */
  private Map<String, NodeState> roomsWithout(Set<String> uids) {
    var rooms = told.rooms();
    underWay.forEach((uid, node) ->
        Optional.ofNullable(told.pods.get(uid))
            .filter(pod -> told.nodeOf(pod).isEmpty() && !uids.contains(uid))
            .ifPresent(pod ->
                rooms.computeIfPresent(node, (_, room) -> room.with(pod.demand().requests()))));
    return rooms;
  }

  private static String nodeOf(Place place) {
    return place.node();
  }

  /** Whether the member has started or is on its way already. */
  private boolean isOut(Pod pod) {
    return hasStarted(pod)
        || underWay.containsKey(pod.key().uid())
        || (!protocol.cluster().isAsked() && !pod.isGated());
  }

  private Optional<GangId> unitOf(Pod pod) {
    return ClusterState.unitOf(protocol.cluster().objects().complete(pod));
  }

  /** Members that live or have come to their end, of all gangs that start together. */
  private List<Pod> membersOf(GangId unit) {
    return told.pods.values().stream()
        .map(protocol.cluster().objects()::complete)
        .filter(pod -> ClusterState.unitOf(pod).filter(unit::equals).isPresent())
        .filter(pod -> ToldCluster.isLive(pod) || pod.progress().phase() == Pod.Phase.SUCCEEDED)
        .toList();
  }

  /** Whether these are as many as each gang that starts with this one needs, of each role. */
  static boolean isWhole(GangId unit, Collection<Pod> pods) {
    var terms = new HashMap<GangId, Terms.Usable>();
    var groups = new TreeSet<>(Set.of(unit));
    for (var pod : pods) {
      var member = pod.membership().orElseThrow();
      if (member.terms() instanceof Terms.Usable usable) {
        terms.put(member.gang(), usable);
        usable.groups().forEach(name -> groups.add(unit.sibling(name)));
      }
    }
    return groups.stream()
        .allMatch(gang -> terms.containsKey(gang) && isWhole(gang, terms.get(gang), pods));
  }

  private static boolean isWhole(GangId gang, Terms.Usable terms, Collection<Pod> pods) {
    var roles =
        pods.stream()
            .flatMap(pod -> pod.membership().stream())
            .filter(member -> member.gang().equals(gang))
            .map(Membership::role)
            .toList();
    return roles.size() >= terms.minAvailable()
        && terms.roles().entrySet().stream()
            .allMatch(
                role -> roles.stream().filter(role.getKey()::equals).count() >= role.getValue());
  }
}
