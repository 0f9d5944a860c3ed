package io.muster.extender.core.decision.terms;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The ranks of a gang's members, kept up with each of them, as thousands may be told theirs one
 * after the other. Segments are counted from the lowest rank of those that are placed as one; once
 * they have started it stays, whoever is lost. Confined to the decision thread.
 */
public final class Ranks {

  private static final int UNKNOWN = Integer.MAX_VALUE;

  private final GroupTerms terms;

  /** Members by rank and uid, without those of which it is not known. */
  private final TreeMap<Integer, Map<String, Pod>> members = new TreeMap<>();

  /** The lowest ranks, once somebody has asked. */
  private final Map<Neighbours, Integer> lowest = new HashMap<>();

  private boolean haveStarted;

  /** Of a gang that has no member yet and states these terms. */
  public Ranks(GroupTerms terms) {
    this.terms = terms;
  }

  /** A member has come, or is in place of the version that was forgotten. */
  public void hear(Pod pod) {
    if (pod.rank() == UNKNOWN) {
      return;
    }
    members.computeIfAbsent(pod.rank(), _ -> new HashMap<>()).put(pod.key().uid(), pod);
    if (!lowest.isEmpty()
        && lowest.computeIfPresent(terms.neighboursOf(pod), (_, rank) -> Math.min(rank, pod.rank()))
            == null) {
      lowest.clear();
    }
  }

  /** That member, or that version of it, is gone. */
  public void forget(Pod pod) {
    if (!haveStarted) {
      lowest.clear();
    } else if (lowest.isEmpty() && terms.areInSegments()) {
      find();
    }
    members.computeIfPresent(
        pod.rank(),
        (_, same) -> {
          same.remove(pod.key().uid());
          return same.isEmpty() ? null : same;
        });
  }

  /** As many as are needed run together: segments are counted from the lowest that are there. */
  public void start() {
    haveStarted = true;
    lowest.clear();
  }

  /** Another incarnation begins with these. */
  public void beginAnew(Collection<Pod> left) {
    haveStarted = false;
    lowest.clear();
    members.clear();
    left.forEach(this::hear);
  }

  private void find() {
    for (var same : members.values()) {
      same.values().forEach(pod -> lowest.putIfAbsent(terms.neighboursOf(pod), pod.rank()));
    }
  }

  /** The lowest of those that are placed as one; empty if none is known. */
  public OptionalInt lowestOf(Neighbours neighbours) {
    if (lowest.isEmpty()) {
      find();
    }
    var rank = lowest.get(neighbours);
    return rank == null ? OptionalInt.empty() : OptionalInt.of(rank);
  }

  /** The lowest of all; empty if none is known. */
  public OptionalInt lowest() {
    if (lowest.isEmpty()) {
      find();
    }
    return lowest.values().stream().mapToInt(Integer::intValue).min();
  }

  /** Whether it has a rank, and no other of those with whom it is placed has the same. */
  public boolean isAlone(Pod pod, Predicate<Pod> isLive) {
    var neighbours = terms.neighboursOf(pod);
    return pod.rank() != UNKNOWN
        && members.getOrDefault(pod.rank(), Map.of()).values().stream()
            .noneMatch(other ->
                !other.key().equals(pod.key())
                    && isLive.test(other)
                    && terms.neighboursOf(other).equals(neighbours));
  }
}
