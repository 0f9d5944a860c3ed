package io.muster.fuzz;

import org.junit.jupiter.api.Test;

/**
 * Whatever is sent or stored is answered, read or refused: no crash, no endless work, no answer
 * that is none, no error in the log, and what is refused hears which field it is about. {@code
 * -Dmuster.fuzz.tries=N} plays so many of each kind, {@code -Dmuster.fuzz.first=N} others.
 */
final class HostileInputsTest {

  private static final long TRIES = Long.getLong("muster.fuzz.tries", 1_000);
  private static final long FIRST = Long.getLong("muster.fuzz.first", 0);

  @Test
  void everyReviewOfAPodIsAnsweredAndItsPatchApplies() {
    HostileInputs.play(FIRST, TRIES, new Admissions()::check);
  }

  @Test
  void everyCallOfKubeSchedulerIsAnsweredInItsForm() {
    HostileInputs.play(FIRST, TRIES, new SchedulerCalls()::check);
  }

  @Test
  void everythingWatchedIsDecidedUpon() {
    HostileInputs.play(FIRST, TRIES, new WatchedObjects()::check);
  }

  @Test
  void everyDocumentOfQueuesIsReadOrRefusedByItsField() {
    HostileInputs.play(FIRST, TRIES, new QueueDocuments()::check);
  }

  @Test
  void everyStoredJobIsReconciledOrRefusedByItsField() {
    HostileInputs.play(FIRST, TRIES, new StoredJobs()::check);
  }
}
