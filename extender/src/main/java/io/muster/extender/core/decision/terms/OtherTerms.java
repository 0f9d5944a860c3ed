package io.muster.extender.core.decision.terms;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What members state beside the terms that hold of their gangs. Asks who lives only once one has
 * stated others. Confined to the decision thread.
 */
public final class OtherTerms {

  /** What a member states of its gang, and what holds of that. */
  private record Said(Pod pod, GangId gang, Terms.Usable terms, Terms.Usable held) {

    boolean isHeld() {
      return terms.equals(held);
    }
  }

  private final Map<GangId, Terms.Usable> held;
  private boolean areThere;

  /**
   * @param held a view of the terms that hold
   */
  OtherTerms(Map<GangId, Terms.Usable> held) {
    this.held = held;
  }

  void hear(GangId gang, Terms.Usable stated) {
    areThere |= !stated.equals(held.get(gang));
  }

  void hearUnusable() {
    areThere = true;
  }

  void forget() {
    areThere = false;
  }

  /** A minimum that one of those states and that is not followed, as another was stated before. */
  public Optional<Integer> minimum(Supplier<List<Pod>> live) {
    return stated(live)
        .filter(said -> said.terms().minAvailable() != said.held().minAvailable())
        .map(said -> said.terms().minAvailable())
        .findFirst();
  }

  /** Gangs of which those state other terms than the ones that hold, and none states these. */
  public Set<GangId> outliving(Supplier<List<Pod>> live) {
    var outlived = new TreeSet<GangId>();
    var agreed = new TreeSet<GangId>();
    stated(live).forEach(said -> (said.isHeld() ? agreed : outlived).add(said.gang()));
    outlived.removeAll(agreed);
    return outlived;
  }

  /** Gangs of which those state terms that cannot be read, and nobody states any that can. */
  public Set<GangId> garbled(Supplier<List<Pod>> live) {
    if (!areThere) {
      return Set.of();
    }
    var garbled = new TreeSet<GangId>();
    var readable = new TreeSet<GangId>();
    live.get().stream()
        .flatMap(pod -> pod.membership().stream())
        .forEach(member -> {
          switch (member.terms()) {
            case Terms.Unusable _ -> garbled.add(member.gang());
            case Terms.Usable _ -> readable.add(member.gang());
            case Terms.InObject _, Terms.Unplaceable _ -> {}
          }
        });
    garbled.retainAll(held.keySet());
    garbled.removeAll(readable);
    return garbled;
  }

  /** Gangs of which the first of those states other terms than the ones that hold. */
  public Set<GangId> overtaking(Supplier<List<Pod>> live, Comparator<Pod> order) {
    var first = new TreeMap<GangId, Said>();
    var earlier = BinaryOperator.minBy(Comparator.comparing(Said::pod, order));
    stated(live).forEach(said -> first.merge(said.gang(), said, earlier));
    first.values().removeIf(Said::isHeld);
    return first.keySet();
  }

  private Stream<Said> stated(Supplier<List<Pod>> live) {
    return areThere
        ? live.get().stream()
            .flatMap(pod -> pod.membership().flatMap(member -> said(pod, member)).stream())
        : Stream.empty();
  }

  private Optional<Said> said(Pod pod, Membership member) {
    return member.terms() instanceof Terms.Usable usable
        ? Optional.ofNullable(held.get(member.gang()))
            .map(holds -> new Said(pod, member.gang(), usable, holds))
        : Optional.empty();
  }
}
