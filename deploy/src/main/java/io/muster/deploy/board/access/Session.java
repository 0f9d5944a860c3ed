package io.muster.deploy.board.access;

import java.time.Instant;

/** Somebody whose token the API server has accepted. Never printed. Safe for concurrent use. */
final class Session {

  private final Digest key;
  private final Token token;
  private final Instant until;
  private volatile Identity identity;
  private volatile Instant confirmed;
  private volatile Instant used;
  private volatile boolean isOver;

  /** Confined to the lock of {@link Sessions}. */
  private Instant nextCheck;

  /**
   * @param until never beyond the token's own end
   * @param confirmed when the API server was asked that has accepted the token
   */
  Session(Digest key, Token token, Identity identity, Instant until, Instant confirmed) {
    this.key = key;
    this.token = token;
    this.identity = identity;
    this.until = until;
    this.confirmed = confirmed;
    this.used = confirmed;
    this.nextCheck = confirmed;
  }

  Digest key() {
    return key;
  }

  Token token() {
    return token;
  }

  Identity identity() {
    return identity;
  }

  Instant until() {
    return until;
  }

  Instant confirmed() {
    return confirmed;
  }

  Instant used() {
    return used;
  }

  void use(Instant now) {
    used = now;
  }

  boolean isOver(Instant now) {
    return isOver || !now.isBefore(until);
  }

  void end() {
    isOver = true;
  }

  /** The API server has accepted the token again. */
  void confirm(Identity who, Instant asked) {
    identity = who;
    confirmed = asked;
  }

  Instant nextCheck() {
    return nextCheck;
  }

  void checkAt(Instant time) {
    nextCheck = time;
  }
}
