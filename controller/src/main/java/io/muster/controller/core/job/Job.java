package io.muster.controller.core.job;

import java.time.Instant;
import java.util.List;

/**
 * What a user wants to run. Immutable.
 *
 * @param generation of what is wanted: grows with every change of it
 * @param roles in the order in which they start
 * @param problems why it cannot be run, for users; empty if it can
 */
public record Job(
    JobKey key,
    Instant createdAt,
    long generation,
    List<Role> roles,
    RunPolicy run,
    List<String> problems) {

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

  /** The role by that name; there must be one. */
  public Role role(String name) {
    return roles.stream().filter(role -> role.name().equals(name)).findFirst().orElseThrow();
  }
}
