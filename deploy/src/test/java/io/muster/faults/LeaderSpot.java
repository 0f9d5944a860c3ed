package io.muster.faults;

/** How the leader of two is lost, and when. */
public enum LeaderSpot {
  /** SIGKILL while all bind calls but one are held. */
  KILLED_AT_THE_BARRIER("leader killed while the barrier holds"),
  /** SIGTERM at the same moment: the lease is given back. */
  ENDED_AT_THE_BARRIER("leader ended by SIGTERM while the barrier holds"),
  /**
   * SIGSTOP between two Bindings; the rest of them is on its way and arrives when the other has
   * taken over and the first wakes.
   */
  PAUSED_BETWEEN_BINDINGS("leader paused between two bindings, past its lease"),
  /** The API server takes its renewals no more, all else works: the lease is lost in time. */
  LEASE_NOT_RENEWED("leader loses its lease while the barrier holds");

  private final String meaning;

  LeaderSpot(String meaning) {
    this.meaning = meaning;
  }

  /** One line for a table. */
  public String meaning() {
    return meaning;
  }
}
