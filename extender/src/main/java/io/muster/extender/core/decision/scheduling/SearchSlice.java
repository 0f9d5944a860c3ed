package io.muster.extender.core.decision.scheduling;

/**
 * What searches among those that run may cost between two filter calls: plans times nodes, and what
 * setting pods aside takes. Confined to the decision thread.
 */
final class SearchSlice {

  private static final int WHOLE = 20_000;

  /** Setting a pod aside and putting it back takes as long as so many nodes in a plan. */
  private static final int PER_POD = 10;

  private final int perPlan;
  private long left = WHOLE;

  /** A whole one, with so many nodes. */
  SearchSlice(int nodes) {
    perPlan = 1 + nodes;
  }

  void setAside(long pods) {
    left -= PER_POD * pods;
  }

  void planned(int plans) {
    left -= (long) plans * perPlan;
  }

  /** Nothing more in this one. */
  void end() {
    left = 0;
  }

  boolean isSpent() {
    return left <= 0;
  }

  int plansLeft() {
    return (int) Math.max(0, left / perPlan);
  }
}
