package io.muster.deploy.board.whatif;

import java.io.Serial;

/** A request that cannot be answered as it stands; the message says what would be right. */
final class InvalidRequestException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  private final String field;

  /**
   * @param field which part of the request it is about
   */
  InvalidRequestException(String field, String message) {
    super(message);
    this.field = field;
  }

  String field() {
    return field;
  }
}
