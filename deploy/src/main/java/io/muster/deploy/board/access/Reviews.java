package io.muster.deploy.board.access;

/**
 * What the API server says of callers. Each call ends within a fixed time. Safe for concurrent use.
 */
public interface Reviews {

  /** Whose token that is. */
  Answer authenticate(Token token);

  Verdict may(Identity who, Question what);

  /** Of a token. */
  sealed interface Answer {

    record Known(Identity identity) implements Answer {}

    /** The API server accepts it from nobody. */
    record Unknown() implements Answer {}

    /** The API server has said neither. */
    record Unanswered() implements Answer {}
  }

  /** Of a right. */
  enum Verdict {
    YES,
    NO,
    /** The API server has said neither. */
    UNANSWERED
  }
}
