package io.muster.controller.core.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Asks for a role of a job to become larger or smaller: whoever wants that, asks like this.
 * Immutable.
 *
 * @param id names it among all of the job, in the words of the kind
 * @param urgent goes before all that are not
 * @param timeout how long new members may take to run, a script to end, and members to leave before
 *     that is worth a warning
 * @param forcedAt members that have not left by then are deleted all the same; empty: as the rule
 *     is
 * @param script run in place of the members' list being told
 */
public record ResizeRequest(
    String id,
    String role,
    Change change,
    Instant createdAt,
    boolean urgent,
    Duration timeout,
    Optional<Instant> forcedAt,
    Optional<Script> script) {

  /** The order in which they are carried out. */
  public static final Comparator<ResizeRequest> ORDER =
      Comparator.comparing((ResizeRequest request) -> !request.urgent())
          .thenComparing(ResizeRequest::createdAt)
          .thenComparing(ResizeRequest::id);

  /** The name of the object that asks, of such an id: what stands behind the last slash. */
  public static String nameIn(String id) {
    return id.substring(id.lastIndexOf('/') + 1);
  }

  /** What is to change. */
  public sealed interface Change {

    /** So many more. */
    record Add(int count) implements Change {}

    /** So many of those that are lost for good, once more. */
    record AddLost(int count) implements Change {}

    /** So many fewer. */
    record Remove(int count) implements Change {}

    /** So many in all. */
    record To(int size) implements Change {}

    /** These go. */
    record RemoveNamed(List<String> names) implements Change {

      public RemoveNamed {
        names = List.copyOf(names);
      }
    }

    /** It cannot be told what; the text says why. */
    record Unclear(String problem) implements Change {}
  }

  /**
   * A program of the user's that tells the job of the change.
   *
   * @param path in the container that decides
   * @param retries after the first try
   */
  public record Script(String path, List<Variable> variables, int retries) {

    public Script {
      variables = List.copyOf(variables);
    }
  }

  /** A variable of the environment. */
  public record Variable(String name, String value) {}
}
