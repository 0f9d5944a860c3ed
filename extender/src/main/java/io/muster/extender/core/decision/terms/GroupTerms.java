package io.muster.extender.core.decision.terms;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Pod.Grouping;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain.Word;
import io.muster.extender.core.gang.RoleMinimums;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the gangs that start as one have stated, and what they need together. The first usable terms
 * of each gang hold until all are forgotten. Confined to the decision thread.
 */
public final class GroupTerms {

  private final GangId id;
  private final Map<GangId, Terms.Usable> stated = new TreeMap<>();
  private final Map<GangId, Demand> deferred = new TreeMap<>();

  /** How close together members of each role are to be, as the first of them has it. */
  private final Map<GangId, SortedMap<String, Topology>> ofRoles = new TreeMap<>();

  /** Gangs whose roles do not all state the same. */
  private final Set<GangId> rolesApart = new TreeSet<>();

  /** What members state about NVLink over nodes, by gang, the least first. */
  private final Map<GangId, SortedSet<Word>> nvlink = new TreeMap<>();

  /** Gangs whose members claim a domain. */
  private final Set<GangId> claiming = new TreeSet<>();

  /** Gangs with members that are in a PodGroup of Muster's. */
  private final Set<GangId> grouped = new TreeSet<>();

  /** Gangs with members that are in one which was made without Muster. */
  private final Set<GangId> broughtGroup = new TreeSet<>();

  /** Gangs with members that are in none. */
  private final Set<GangId> ungrouped = new TreeSet<>();

  /**
   * Members that are placed as one: those of a gang or, where its roles do not state the same about
   * closeness, those of one role.
   *
   * @param role empty for the whole gang
   */
  public record Neighbours(GangId gang, String role) {}

  private Optional<Terms.Unusable> problem = Optional.empty();

  /** The object that members point to for their terms. */
  private Optional<TermsObject> awaited = Optional.empty();

  private final OtherTerms others = new OtherTerms(stated);

  /** What the gang has started with, as it is stored. */
  private int stored;

  private Set<GangId> gangs;
  private Optional<MinMembers> quorum = Optional.empty();

  /** Those of the gang that gives the group its name, and of the gangs that it names. */
  public GroupTerms(GangId id) {
    this.id = id;
    this.gangs = Set.of(id);
  }

  /** Takes in what a member says. */
  public void hear(Pod pod) {
    pod.membership()
        .ifPresent(member -> {
          hear(member);
          hearNvlink(member);
          hearGrouping(member, pod.origin().grouping());
          if (member.terms() instanceof Terms.Usable usable) {
            hearRole(member, usable.topology());
          }
          pod.later().ifPresent(demand -> deferred.putIfAbsent(member.gang(), demand));
        });
  }

  private void hear(Membership membership) {
    switch (membership.terms()) {
      case Terms.Usable usable when !stated.containsKey(membership.gang()) -> {
        stated.put(membership.gang(), usable);
        form();
      }
      case Terms.Unusable unusable when problem.isEmpty() && stated.isEmpty() ->
          problem = Optional.of(unusable);
      case Terms.Usable usable -> others.hear(membership.gang(), usable);
      case Terms.InObject inObject -> awaited = Optional.of(inObject.object());
      case Terms.Unusable _ -> others.hearUnusable();
      case Terms.Unplaceable _ -> {}
    }
  }

  private void hearGrouping(Membership member, Grouping grouping) {
    if (!(member.terms() instanceof Terms.Unplaceable)) {
      switch (grouping) {
        case OWN -> grouped.add(member.gang());
        case QUEUED -> broughtGroup.add(member.gang());
        case NONE, OTHER -> ungrouped.add(member.gang());
      }
    }
  }

  private void hearRole(Membership member, Topology topology) {
    var roles = ofRoles.computeIfAbsent(member.gang(), _ -> new TreeMap<>());
    if (roles.size() < RoleMinimums.MOST_ROLES && !roles.containsKey(member.role())) {
      if (!roles.isEmpty() && !roles.firstEntry().getValue().equals(topology)) {
        rolesApart.add(member.gang());
      }
      roles.put(member.role(), topology);
    }
  }

  private void hearNvlink(Membership member) {
    if (member.nvlink().word() != Word.UNSTATED) {
      nvlink.computeIfAbsent(member.gang(), _ -> new TreeSet<>()).add(member.nvlink().word());
    }
    if (member.nvlink().isClaimed()) {
      claiming.add(member.gang());
    }
  }

  /**
   * A member has gone. Where members contradict each other, only what those say holds that are
   * left.
   */
  public void memberGone(Collection<Pod> left) {
    boolean areMixed = ungrouped.removeIf(this::isGrouped);
    if (!areMixed && nvlinkWordsAtOdds().isEmpty()) {
      return;
    }
    nvlink.clear();
    for (var pod : left) {
      if (!pod.isTerminal()) {
        pod.membership()
            .ifPresent(member -> {
              hearNvlink(member);
              hearGrouping(member, pod.origin().grouping());
            });
      }
    }
  }

  private boolean isGrouped(GangId gang) {
    return grouped.contains(gang) || broughtGroup.contains(gang);
  }

  public void forget() {
    stated.clear();
    deferred.clear();
    ofRoles.clear();
    rolesApart.clear();
    nvlink.clear();
    claiming.clear();
    grouped.clear();
    broughtGroup.clear();
    ungrouped.clear();
    problem = Optional.empty();
    awaited = Optional.empty();
    others.forget();
    stored = 0;
    form();
  }

  /** It has started with so many members at least, by whatever terms. */
  public void startedWith(int minAvailable) {
    stored = minAvailable;
  }

  /** What one of its gangs has stated holds no more, since it stood in an object; ask again. */
  public void withdraw(GangId gang) {
    stated.remove(gang);
    ofRoles.remove(gang);
    rolesApart.remove(gang);
    problem = Optional.empty();
    awaited = Optional.empty();
    form();
  }

  /** Whether no gang has stated anything at all. */
  public boolean isSilent() {
    return stated.isEmpty() && problem.isEmpty() && awaited.isEmpty();
  }

  /** The object whose terms are missing, as long as nothing at all is known of them. */
  public Optional<TermsObject> awaited() {
    return stated.isEmpty() && problem.isEmpty() ? awaited : Optional.empty();
  }

  /** The gangs that have stated usable terms, by name. */
  public Set<GangId> stating() {
    return stated.keySet();
  }

  /** The gangs that users are told of: those, or while there are none the one by the own name. */
  public Set<GangId> named() {
    return stated.isEmpty() ? Set.of(id) : stated.keySet();
  }

  /** What is wrong, as long as nothing of use has been stated. */
  public Optional<Terms.Unusable> problem() {
    return stated.isEmpty() ? problem : Optional.empty();
  }

  /** What members state beside the terms that hold. */
  public OtherTerms others() {
    return others;
  }

  /** Of those gangs what these state holds now, the first to state anything. */
  public void hearAnew(Set<GangId> outlived, List<Pod> live) {
    for (var gang : outlived) {
      withdraw(gang);
      deferred.remove(gang);
    }
    live.forEach(this::hear);
  }

  /** What its gangs need to start; empty while one of them has stated nothing of use. */
  public Optional<MinMembers> quorum() {
    return quorum;
  }

  /** Members that start together at least, or did; 0 while that is not known. */
  public int minAvailable() {
    return quorum.map(MinMembers::size).orElse(stated.isEmpty() ? stored : 0);
  }

  /** The same of one gang of the group. */
  public int minAvailableOf(GangId gang) {
    return of(gang).map(Terms.Usable::minAvailable).orElse(gang.equals(id) ? stored : 0);
  }

  /** The gangs that start together, at least the one that gives the name; by name. */
  public Set<GangId> gangs() {
    return gangs;
  }

  /** Gangs of the group that have stated nothing yet, or another group. */
  public List<GangId> absentGangs() {
    var groups = leading().map(Terms.Usable::groups);
    return gangs.stream()
        .filter(gang -> groups.isEmpty() || !of(gang).map(Terms.Usable::groups).equals(groups))
        .toList();
  }

  /** Whether any of those placed as one are in segments. */
  public boolean areInSegments() {
    return neighbours().stream().anyMatch(all -> !topologyOf(all).segments().isEmpty());
  }

  /** All that are placed as one, by gang and role; the roles that are too many are one. */
  public List<Neighbours> neighbours() {
    var all = new ArrayList<Neighbours>();
    for (var gang : gangs) {
      var roles = new TreeSet<>(Set.of(""));
      if (rolesApart.contains(gang)) {
        roles.addAll(ofRoles.get(gang).keySet());
      }
      roles.forEach(role -> all.add(new Neighbours(gang, role)));
    }
    return all;
  }

  /** Those with whom the member is placed. */
  public Neighbours neighboursOf(Pod pod) {
    var gang = pod.membership().map(Membership::gang).orElse(id);
    var role =
        pod.membership()
            .map(Membership::role)
            .filter(_ -> rolesApart.contains(gang))
            .filter(own -> ofRoles.get(gang).containsKey(own));
    return new Neighbours(gang, role.orElse(""));
  }

  /** How close together they are to be. */
  public Topology topologyOf(Neighbours neighbours) {
    var gang = neighbours.gang();
    var stated =
        rolesApart.contains(gang)
            ? ofRoles.get(gang).getOrDefault(neighbours.role(), Topology.ANYWHERE)
            : of(gang).map(Terms.Usable::topology).orElse(Topology.ANYWHERE);
    var words = nvlink.get(gang);
    if (words == null) {
      return stated;
    }
    var nvlinked = words.last().topology();
    // What is only preferred is no word against one domain.
    return stated.isAnywhere()
        ? nvlinked.joining(stated.joins())
        : stated.required().isPresent() || !stated.segments().isEmpty()
            ? stated
            : new Topology(stated.preferred(), nvlinked.required(), List.of())
                .joining(stated.joins());
  }

  /** Gangs whose members claim an NVLink domain, by name. */
  public Set<GangId> claimingNvlink() {
    return claiming;
  }

  /** Gangs whose members are in a PodGroup of Muster's, some of them at least; by name. */
  public Set<GangId> grouped() {
    return grouped;
  }

  /** Whether kube-scheduler binds enough members of the gang together, or none of it. */
  public boolean areBoundTogether(GangId gang) {
    return isGrouped(gang) && !ungrouped.contains(gang);
  }

  /**
   * How many members the PodGroup of a gang is to have bound together; 0 if it is to have none.
   * Where some members are in no group, it must not wait for as many as the gang needs.
   */
  public int minCountOf(GangId gang) {
    if (!grouped.contains(gang)) {
      return 0;
    }
    return areBoundTogether(gang) ? Math.max(1, minAvailableOf(gang)) : 1;
  }

  /** Gangs for which something is to be made before a gate is opened. */
  public Set<GangId> needingCompanions() {
    if (grouped.isEmpty()) {
      return claiming;
    }
    if (claiming.isEmpty()) {
      return grouped;
    }
    var all = new TreeSet<>(claiming);
    all.addAll(grouped);
    return all;
  }

  /** What members of one gang state about NVLink over nodes, where they do not agree. */
  public Set<Word> nvlinkWordsAtOdds() {
    return nvlink.values().stream()
        .filter(words -> words.size() > 1)
        .findFirst()
        .<Set<Word>>map(words -> words)
        .orElse(Set.of());
  }

  /** Which members count; of a group as the gang that gives the name has it. */
  public Terms.MatchPolicy matchPolicy() {
    return leading().map(Terms.Usable::matchPolicy).orElse(Terms.MatchPolicy.ONCE_SATISFIED);
  }

  /** What becomes of the gang when it loses a member. */
  public Terms.OnLoss onLoss() {
    return leading().map(Terms.Usable::onLoss).orElse(Terms.OnLoss.REPLACE);
  }

  /** What a pod that comes later asks for, by its gang, as the first to speak of one has it. */
  public Map<GangId, Demand> deferred() {
    return deferred;
  }

  private Optional<Terms.Usable> of(GangId gang) {
    return Optional.ofNullable(stated.get(gang));
  }

  /** The gang that gives the group its name decides who belongs to it, once it has spoken. */
  private Optional<Terms.Usable> leading() {
    return of(id).or(() -> stated.values().stream().findFirst());
  }

  private void form() {
    var named = new TreeSet<>(Set.of(id));
    leading().ifPresent(terms -> terms.groups().forEach(name -> named.add(id.sibling(name))));
    gangs = Collections.unmodifiableSet(named);
    quorum =
        stated.isEmpty() || !absentGangs().isEmpty()
            ? Optional.empty()
            : Optional.of(
                new MinMembers(
                    gangs.stream()
                        .map(gang -> new MinMembers.Part(gang, stated.get(gang)))
                        .toList()));
  }
}
