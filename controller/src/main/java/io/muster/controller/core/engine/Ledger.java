package io.muster.controller.core.engine;

import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Standing;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which rank each member of a role has, how often it was lost and who has ended for good. Confined
 * to one reconcile.
 */
final class Ledger {

  private final Map<Integer, Integer> ranks;
  private final Map<Integer, Integer> losses;
  private final Map<Integer, Boolean> ended;

  Ledger(Standing stored) {
    ranks = new TreeMap<>(stored.ranks());
    losses = new TreeMap<>(stored.losses());
    ended = new TreeMap<>(stored.ended());
  }

  Standing stored() {
    return new Standing(ranks, losses, ended);
  }

  /** A member has its index for a rank until it takes another's place. */
  int rank(int index) {
    return ranks.getOrDefault(index, index);
  }

  /** How often who has that rank was lost, as far as it counts. */
  int losses(int rank) {
    return losses.getOrDefault(rank, 0);
  }

  /** How often any of them was lost, as far as it counts. */
  int lossesInAll() {
    return losses.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** That one was lost once more. */
  void count(int index) {
    losses.merge(rank(index), 1, Integer::sum);
  }

  /** A member took the place of another. */
  void succeed(int lost, int next, boolean counts) {
    int rank = rank(lost);
    ranks.remove(lost);
    rankAs(next, rank);
    if (counts) {
      losses.merge(rank, 1, Integer::sum);
    }
  }

  private void rankAs(int index, int rank) {
    if (index == rank) {
      ranks.remove(index);
    } else {
      ranks.put(index, rank);
    }
  }

  /** Whether it has ended badly and nobody has taken its place. */
  boolean isLost(int index) {
    return hasEnded(index) && !hasDoneWell(index);
  }

  /** A new member has a rank that nobody has. */
  void join(int index, int rank) {
    rankAs(index, rank);
    losses.remove(rank);
    ended.remove(index);
  }

  /** Whether it was given a rank, for life. */
  boolean isSeated(int index) {
    return ranks.containsKey(index);
  }

  void seat(int index, int rank) {
    ranks.put(index, rank);
  }

  /** The highest rank that was given for life; -1 if none was. */
  int highestSeat() {
    return ranks.values().stream().mapToInt(Integer::intValue).max().orElse(-1);
  }

  /** Whoever has that place begins anew. */
  void reopen(int index) {
    ended.remove(index);
  }

  /** That one is no longer one of them. */
  void leave(int index) {
    ranks.remove(index);
    ended.remove(index);
  }

  void end(int index, boolean hasDoneWell) {
    ended.put(index, hasDoneWell);
  }

  boolean hasEnded(int index) {
    return ended.containsKey(index);
  }

  boolean hasDoneWell(int index) {
    return ended.getOrDefault(index, false);
  }

  /** Whether the engine has to know members of the role one by one. */
  static boolean isKept(Role role) {
    return role.recovery().keepsRank()
        || role.end() == Role.End.WITH_ALL
        || role.range().isFollowed();
  }
}
