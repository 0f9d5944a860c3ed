package io.muster.controller.core.engine;

import io.muster.controller.core.job.ResizeRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is to be done for a job. Each may be done again: what is there already, or gone already, is
 * as good as done.
 */
public sealed interface Action {

  /**
   * Makes what the pods of a role need beside themselves, with these members of the job in it.
   *
   * @param first of the pods that are made next: refused with what it needs
   */
  record Prepare(String role, List<String> members, String first) implements Action {}

  /**
   * Makes a pod.
   *
   * @param gangSize how many start together: with the job, or with the resize
   * @param resize that it is made for
   * @param rank among the members of its role; its index, unless it takes another's place
   * @param losses of those that had its rank before
   */
  record Create(
      String role,
      int index,
      String name,
      int gangSize,
      Optional<String> resize,
      int rank,
      int losses)
      implements Action {}

  /** Deletes a pod and what was made beside it. */
  record Delete(String name, String uid) implements Action {}

  /** What only some kinds of jobs are asked for, each in its own way. */
  sealed interface OfKind extends Action {}

  /** Has the job know these members, and no others. */
  record Tell(List<String> members) implements OfKind {}

  /** Finds out which of these the job still has to do with. */
  record Probe(List<String> members) implements OfKind {}

  /** Runs the script of a resize. */
  record Script(String resize, List<String> members) implements OfKind {}

  /**
   * Asks for a resize in the user's stead.
   *
   * @param key names the request: what has been asked for is not asked for again
   * @param forcedAt as in {@link ResizeRequest}; only what is urgent has it
   */
  record Ask(
      String key,
      String role,
      ResizeRequest.Change change,
      boolean urgent,
      Optional<Instant> forcedAt)
      implements OfKind {

    /** In its turn. */
    public Ask(String key, String role, ResizeRequest.Change change) {
      this(key, role, change, false, Optional.empty());
    }
  }

  /** Deletes a request of the engine's own that has ended. */
  record Withdraw(String resize) implements OfKind {}

  /** Deletes the job itself. */
  record Remove() implements Action {}
}
