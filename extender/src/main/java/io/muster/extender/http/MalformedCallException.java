package io.muster.extender.http;

/** A call that cannot be read; the message is one sentence for its caller. */
final class MalformedCallException extends RuntimeException {

  MalformedCallException(String sentence) {
    super(sentence);
  }

  MalformedCallException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
