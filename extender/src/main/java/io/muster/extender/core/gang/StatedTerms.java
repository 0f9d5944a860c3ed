package io.muster.extender.core.gang;

import java.util.Optional;

/** The terms of a gang as they are stated, before anything is checked. Immutable. */
public record StatedTerms(
    Stated min, Stated total, Stated timeout, Stated mode, Stated matchPolicy, Stated groups) {

  /** Those of a dialect that leaves its users only the minimum to choose. */
  public static StatedTerms of(Stated min, Terms.MatchPolicy policy) {
    return new StatedTerms(
        min,
        nothing("total"),
        nothing("timeout"),
        nothing("mode"),
        new Stated("match policy", Optional.of(policy.word())),
        nothing("groups"));
  }

  /** The same with a time that members are to wait for each other. */
  public StatedTerms waiting(Stated time) {
    return new StatedTerms(min, total, time, mode, matchPolicy, groups);
  }

  private static Stated nothing(String key) {
    return new Stated(key, Optional.empty());
  }
}
