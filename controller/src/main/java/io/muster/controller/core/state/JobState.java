package io.muster.controller.core.state;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where a job stands: stored with it, and all that is known of it besides what can be seen.
 * Immutable.
 *
 * @param startedAt when it was taken up first
 * @param waitsSince when its members that do not run together yet began to be waited for, in this
 *     life of the job
 * @param targets the indices that each role is to have, by role
 * @param unseen those of them whose pods have not been seen yet
 * @param burnt no index up to this one is given out again, by role
 * @param passed what of its start is behind it
 * @param resizing the resize that is being carried out
 * @param asked the size that each role was last asked to have, by role
 * @param owed how many members went because of their nodes and are to be recreated, by role
 * @param standings what is known of single members, by role, where it is needed
 * @param replacedAt when members were made in place of lost ones, by role; as far back as counts
 * @param mending how losses among members of followed size are made good
 */
public record JobState(
    Phase phase,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt,
    Optional<Instant> waitsSince,
    int restarts,
    Map<String, List<Integer>> targets,
    Map<String, List<Integer>> unseen,
    Map<String, Integer> burnt,
    Set<Passed> passed,
    Optional<String> resizing,
    Map<String, Integer> asked,
    Map<String, Integer> owed,
    Map<String, List<Instant>> replacedAt,
    Map<String, Standing> standings,
    RestartRound mending) {

  /**
   * What is known of the members of a role one by one, where it keeps their ranks or names, or the
   * job ends with all of them. Immutable.
   *
   * @param ranks by index, where they differ; all of those that keep their names
   * @param losses that count, by rank
   * @param ended for good: whether they did well, by index
   */
  public record Standing(
      Map<Integer, Integer> ranks, Map<Integer, Integer> losses, Map<Integer, Boolean> ended) {

    public static final Standing NEW = new Standing(Map.of(), Map.of(), Map.of());

    public Standing {
      ranks = Map.copyOf(ranks);
      losses = Map.copyOf(losses);
      ended = Map.copyOf(ended);
    }
  }

  /** Of the life of a job. */
  public enum Phase {
    NEW,
    STARTING,
    RUNNING,
    SCALING,
    RESTARTING,
    SUSPENDED,
    SUCCEEDED,
    FAILED;

    public boolean isEnd() {
      return this == SUCCEEDED || this == FAILED;
    }
  }

  /** All members of a role are made, or all run. */
  public record Passed(Step step, String role) {

    /** Of the start of a role. */
    public enum Step {
      MADE,
      UP
    }
  }

  /** Of a job that has not been reconciled yet. */
  public static final JobState NEW =
      new JobState(
          Phase.NEW,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          0,
          Map.of(),
          Map.of(),
          Map.of(),
          Set.of(),
          Optional.empty(),
          Map.of(),
          Map.of(),
          Map.of(),
          Map.of(),
          RestartRound.NONE);

  /** Indices that the role is to have. */
  public List<Integer> targets(String role) {
    return targets.getOrDefault(role, List.of());
  }

  /** How many members of all roles there are to be. */
  public int size() {
    return targets.values().stream().mapToInt(List::size).sum();
  }

  /** Who has ended for good, and whether they did well, by index. */
  public Map<Integer, Boolean> ended(String role) {
    return standings.getOrDefault(role, Standing.NEW).ended();
  }

  /** Indices of those that are lost for good, whose ranks nobody has. */
  public List<Integer> lost(String role) {
    var ended = ended(role);
    return targets(role).stream().filter(index -> !ended.getOrDefault(index, true)).toList();
  }

  /** Indices of all others: its size, as users mean it. */
  public List<Integer> counted(String role) {
    var ended = ended(role);
    return targets(role).stream().filter(index -> ended.getOrDefault(index, true)).toList();
  }

  public JobState {
    targets = Map.copyOf(targets);
    unseen = Map.copyOf(unseen);
    burnt = Map.copyOf(burnt);
    passed = Set.copyOf(passed);
    asked = Map.copyOf(asked);
    owed = Map.copyOf(owed);
    replacedAt = Map.copyOf(replacedAt);
    standings = Map.copyOf(standings);
  }
}
