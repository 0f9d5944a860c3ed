package io.muster.controller.core.job;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a user wants to run. Immutable.
 *
 * @param generation of what is wanted: grows with every change of it
 * @param roles in the order in which they start
 * @param problems why it cannot be run, for users; empty if it can
 */
public record Job(
    JobKey key, long generation, List<Role> roles, RunPolicy run, List<String> problems) {

  /**
   * Members that a job may have in all, without the one that it ends with: as many as a gang. No
   * count that a user writes leads to more, whatever is stored.
   */
  public static final int MOST_MEMBERS = 5_000;

  /** Roles in a sentence. */
  private static final int MOST_NAMED = 5;

  public Job {
    roles = List.copyOf(roles);
    problems = List.copyOf(problems);
  }

  /** Members that start together, before any other is made. */
  public int startingMembers() {
    return roles.stream()
        .filter(role -> role.after().isEmpty())
        .mapToInt(role -> role.range().start())
        .sum();
  }

  /** Why nobody may make all its members; empty if somebody may. */
  public Optional<String> excess() {
    var counted = roles.stream().filter(role -> !role.decides()).toList();
    long members = counted.stream().mapToLong(role -> role.range().largest()).sum();
    return members <= MOST_MEMBERS
        ? Optional.empty()
        : Optional.of(
            "the job asks for %d members in all (%s), and no job may have more than %d; ask for fewer"
                .formatted(
                    members,
                    counted.stream()
                        .sorted(
                            Comparator.comparingInt((Role role) -> role.range().largest())
                                .reversed())
                        .limit(MOST_NAMED)
                        .map(role -> role.name() + " " + role.range().largest())
                        .collect(Collectors.joining(", ")),
                    MOST_MEMBERS));
  }

  /** The role by that name; there must be one. */
  public Role role(String name) {
    return roles.stream().filter(role -> role.name().equals(name)).findFirst().orElseThrow();
  }
}
