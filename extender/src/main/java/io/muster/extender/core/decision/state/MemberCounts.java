package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.Companions;
import io.muster.extender.core.decision.terms.MinMembers;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Terms;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Counts the members of a gang against its {@link MinMembers}: how many are still needed, and which
 * of those that are there. What has been counted is kept until a member changes, because all
 * waiting gangs are asked whenever room comes free. {@link DeferredPods} count for nothing.
 * Confined to the decision thread.
 */
public final class MemberCounts {

  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,4}");

  /** Members by what they ask for; worked out once, and not for every count. */
  private static final class Kinds {

    private Map<Demand, Integer> known = Map.of();

    Map<Demand, Integer> of(List<Pod> members) {
      if (known.isEmpty() && !members.isEmpty()) {
        // Members of one kind share their demand, and there are many more members than kinds.
        var shared = new IdentityHashMap<Demand, Integer>();
        members.forEach(pod -> shared.merge(pod.demand(), 1, Integer::sum));
        known = new HashMap<>();
        shared.forEach((demand, count) -> known.merge(demand, count, Integer::sum));
      }
      return known;
    }
  }

  /** What was counted, and of what. */
  private record Count(
      long version,
      int boundHere,
      int condemned,
      int record,
      int needed,
      List<Pod> chosen,
      long devices,
      int endingFirst,
      Kinds kinds,
      Map<GangId, Integer> succeeded) {}

  private final GangState gang;
  private Count counted = new Count(-1, 0, 0, 0, 0, List.of(), 0, 0, new Kinds(), Map.of());

  MemberCounts(GangState gang) {
    this.gang = gang;
  }

  /** How many more members must be placed for the minimum; very many while that is not known. */
  public int needed() {
    return count().needed();
  }

  /** Whether it is known that more are needed. */
  public boolean isBelow() {
    return gang.terms.quorum().isPresent() && needed() > 0;
  }

  /** The members that the minimum needs, in rank order; fewer if there are not enough. */
  public List<Pod> chosen() {
    return count().chosen();
  }

  /** Devices that those ask for. */
  public long chosenDevices() {
    return count().devices();
  }

  /** What those ask for, and how many of them ask for it. */
  public Map<Demand, Integer> kinds() {
    var count = count();
    return count.kinds().of(count.chosen());
  }

  /** Whether enough members are there to start; at once where they are too few in all. */
  public boolean isComplete() {
    return gang.terms.quorum().filter(q -> gang.members.size() >= q.size()).isPresent()
        && chosen().size() >= needed()
        && endingFirst() == 0;
  }

  /** Members that end, and that their Job would have replaced only once they have ended. */
  public int endingFirst() {
    return count().endingFirst();
  }

  private boolean mustEndFirst(Pod pod) {
    return pod.origin().labels().containsKey(GangKeys.ENDS_FIRST)
        && !gang.members.isLive(pod)
        && !pod.isTerminal();
  }

  /** Members that have started and count for the minimum. */
  public int started() {
    return startedAnd(Set.of()).size();
  }

  /** How many more are needed once those have started too. */
  public int neededBeside(Set<String> uids) {
    return uids.isEmpty()
        ? needed()
        : gang.terms.quorum().map(q -> missing(q, startedAnd(uids))).orElse(Integer.MAX_VALUE);
  }

  /** Those that the minimum needs beside the members that have a place already. */
  public List<Pod> chosenBeside(Set<String> placed) {
    return chosenBeside(placed, Set.of());
  }

  /** The same without those of whom it is known that they can go nowhere. */
  public List<Pod> chosenBeside(Set<String> placed, Set<String> stuck) {
    return gang.terms
        .quorum()
        .map(q ->
            q.choose(
                startedAnd(placed),
                candidates().stream()
                    .filter(pod -> !placed.contains(pod.key().uid()))
                    .filter(pod -> !stuck.contains(pod.key().uid()))
                    .toList()))
        .orElse(List.of());
  }

  private Count count() {
    if (counted.version() != gang.version()
        || counted.boundHere() != gang.burst.bound().size()
        || counted.condemned() != gang.ending.count()
        || counted.record() != gang.record.size()) {
      var started = startedAnd(Set.of());
      var quorum = gang.terms.quorum();
      var chosen = quorum.map(q -> q.choose(started, candidates())).orElse(List.of());
      counted =
          new Count(
              gang.version(),
              gang.burst.bound().size(),
              gang.ending.count(),
              gang.record.size(),
              quorum.map(q -> missing(q, started)).orElse(Integer.MAX_VALUE),
              chosen,
              chosen.stream().mapToLong(pod -> pod.shape().requests().devices()).sum(),
              (int) gang.members.all().stream().filter(this::mustEndFirst).count(),
              new Kinds(),
              gang.terms.grouped().isEmpty() ? Map.of() : succeeded(started));
    }
    return counted;
  }

  /** Whether so few are left that it could not start with them, though its owner says enough. */
  public boolean isFewerThanAtStart() {
    return gang.terms.quorum().filter(q -> q.missing(startedAnd(Set.of())) > 0).isPresent();
  }

  /** Members that were given back in order are not missing. */
  private int missing(MinMembers quorum, List<Pod> have) {
    int missing = quorum.missing(have);
    return missing == 0 || !gang.satisfied()
        ? missing
        : Math.min(missing, Math.max(0, enough() - have.size()));
  }

  private int enough() {
    return gang.members.all().stream()
        .filter(gang.members::isLive)
        .map(pod -> pod.origin().labels().getOrDefault(GangKeys.ENOUGH, ""))
        .filter(said -> NUMBER.matcher(said).matches())
        .mapToInt(Integer::parseInt)
        .min()
        .orElse(Integer.MAX_VALUE);
  }

  /** The member that those which are still to be made are taken to be like. */
  public Pod model() {
    return lastOf(gang.candidates())
        .or(() -> lastOf(gang.members.live()))
        .orElseGet(() -> gang.members.live().getLast());
  }

  private Optional<Pod> lastOf(List<Pod> pods) {
    return pods.reversed().stream().filter(pod -> !gang.deferred.includes(pod)).findFirst();
  }

  /** Why a member that is there will never start, if there is one; the first by rank. */
  public Optional<Terms.Unplaceable> unplaceable() {
    return gang.members.live().stream()
        .filter(pod -> !gang.members.hasStarted(pod) && !gang.mayBePlaced(pod))
        .flatMap(pod -> pod.unplaceable().stream())
        .findFirst();
  }

  /** Members that are there and wait for a claim that they mount; by rank. */
  public List<Pod> lackingClaims() {
    return gang.members.live().stream()
        .filter(pod -> !gang.members.hasStarted(pod) && lacksClaim(pod))
        .toList();
  }

  /** Whether the member mounts a claim that is not there; what is recorded is carried out. */
  public boolean lacksClaim(Pod pod) {
    return pod.progress().absentClaim().isPresent() && !gang.record.names(pod.key().uid());
  }

  /**
   * How many members the PodGroup of a gang is to have bound together; 0 if it is to have none.
   * Members that have succeeded count for the minimum, but kube-scheduler does not see them.
   */
  public int minCountOf(GangId id) {
    int stated = gang.terms.minCountOf(id);
    return stated <= 1 ? stated : Math.max(1, stated - count().succeeded().getOrDefault(id, 0));
  }

  /** What goes into that of each gang for which something is to be made before a gate is opened. */
  public Map<GangId, Companions.Shape> companions() {
    var shapes = new TreeMap<GangId, Companions.Shape>();
    gang.terms
        .needingCompanions()
        .forEach(id -> shapes.put(id, new Companions.Shape(minCountOf(id), gang.priority())));
    return shapes;
  }

  private static Map<GangId, Integer> succeeded(List<Pod> started) {
    var succeeded = new HashMap<GangId, Integer>();
    started.stream()
        .filter(pod -> pod.progress().phase() == Pod.Phase.SUCCEEDED)
        .flatMap(pod -> pod.membership().stream())
        .forEach(of -> succeeded.merge(of.gang(), 1, Integer::sum));
    return succeeded;
  }

  private List<Pod> candidates() {
    return gang.candidates().stream().filter(pod -> !gang.deferred.includes(pod)).toList();
  }

  private List<Pod> startedAnd(Set<String> uids) {
    return gang.members.all().stream()
        .filter(pod -> gang.members.hasStarted(pod) || uids.contains(pod.key().uid()))
        .filter(pod -> !gang.discounted.contains(pod.key().uid()))
        .filter(pod -> !gang.deferred.includes(pod))
        .toList();
  }
}
