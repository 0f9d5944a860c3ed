package io.muster.deploy.board.access;

import java.time.Instant;

/** Somebody who is in, until {@link SignIn#isStillIn} says otherwise. Immutable. */
public final class Viewer {

  private final Session session;
  private final Sessions where;

  Viewer(Session session, Sessions where) {
    this.session = session;
    this.where = where;
  }

  /** For people and logs. */
  public String name() {
    return session.identity().name();
  }

  /**
   * Whose share of what is limited is theirs: their own, or that of all ServiceAccounts of one
   * namespace.
   */
  public String account() {
    return session.identity().account();
  }

  /** When they have to sign in again at the latest. */
  public Instant until() {
    return session.until();
  }

  Session session() {
    return session;
  }

  Sessions where() {
    return where;
  }

  @Override
  public String toString() {
    return name();
  }
}
