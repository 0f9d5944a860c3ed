package io.muster.controller.core.job;

import java.time.Duration;
import java.util.Optional;

/**
 * How a job as a whole is run. Immutable.
 *
 * @param suspended it shall hold no pods now
 * @param held no pod of it shall be made yet; pods that there are stay
 * @param restarts how often it is started again as a whole after it has failed
 * @param cleanUp what becomes of its pods at the end
 * @param waitAtMost how long it may wait for its members to run
 * @param runAtMost how long it may take from its start on
 * @param keepFor how long it is kept after its end
 * @param mendings after how many rounds in which members of followed size failed the next failure
 *     is its end; empty: after no number of them
 */
public record RunPolicy(
    boolean suspended,
    boolean held,
    int restarts,
    CleanUp cleanUp,
    Optional<Duration> waitAtMost,
    Optional<Duration> runAtMost,
    Optional<Duration> keepFor,
    Optional<Integer> mendings) {

  /** Of a job that is run once, without limits. */
  public static RunPolicy once(CleanUp cleanUp) {
    return new RunPolicy(
        false,
        false,
        0,
        cleanUp,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** The same, ended by one round more in which members of followed size failed. */
  public RunPolicy endingAfter(Optional<Integer> rounds) {
    return new RunPolicy(
        suspended, held, restarts, cleanUp, waitAtMost, runAtMost, keepFor, rounds);
  }

  /** What becomes of pods when their job has ended. */
  public enum CleanUp {
    /** They stay as they are. */
    NOTHING,
    /** Those that have not ended are deleted, but for the role with whose one the job ends. */
    UNFINISHED,
    /** Those that have not ended are deleted. */
    ALL_UNFINISHED,
    /** All are deleted. */
    ALL
  }
}
