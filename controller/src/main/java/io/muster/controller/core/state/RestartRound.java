package io.muster.controller.core.state;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How losses among members of followed size are made good, in rounds: all that are lost before
 * everybody is there again are one round's. Immutable.
 *
 * @param causes of this round
 * @param failures rounds in which members failed
 * @param moves rounds in which members went otherwise, or others were wanted
 * @param going uids of lost members whose names are to be given out again once they are gone, by
 *     role and index
 */
public record RestartRound(
    Stage stage,
    Set<Cause> causes,
    int failures,
    int moves,
    Map<String, Map<Integer, String>> going) {

  /** How far a round is. */
  public enum Stage {
    /** None is under way. */
    WELL,
    /** Not everybody is there. */
    MAKING,
    /** Everybody is there, but does not run yet. */
    SETTLING
  }

  /** Why members are made. */
  public enum Cause {
    FAILURE,
    MOVE
  }

  /** Nothing was lost. */
  public static final RestartRound NONE = new RestartRound(Stage.WELL, Set.of(), 0, 0, Map.of());

  public RestartRound {
    causes = Set.copyOf(causes);
    going = Map.copyOf(going);
  }

  /** Whether one more loss of that kind would begin a round. */
  public boolean isNews(Cause cause) {
    return stage != Stage.MAKING || !causes.contains(cause);
  }

  /** After a loss of that kind. */
  public RestartRound after(Cause cause) {
    if (!isNews(cause)) {
      return this;
    }
    var all = new HashSet<>(stage == Stage.MAKING ? causes : Set.of());
    all.add(cause);
    return new RestartRound(
        Stage.MAKING,
        all,
        failures + (cause == Cause.FAILURE ? 1 : 0),
        moves + (cause == Cause.MOVE ? 1 : 0),
        going);
  }

  public RestartRound at(Stage next) {
    return new RestartRound(next, next == Stage.MAKING ? causes : Set.of(), failures, moves, going);
  }

  /** With other lost members that are in the way of those who have their names next. */
  public RestartRound with(Map<String, ? extends Map<Integer, String>> others) {
    var all = new HashMap<String, Map<Integer, String>>();
    others.forEach((role, uids) -> all.put(role, Map.copyOf(uids)));
    all.values().removeIf(Map::isEmpty);
    return new RestartRound(stage, causes, failures, moves, all);
  }
}
