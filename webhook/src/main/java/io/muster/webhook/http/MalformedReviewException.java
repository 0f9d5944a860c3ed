package io.muster.webhook.http;

/** What was sent is no review that can be answered; the message is one sentence for the sender. */
final class MalformedReviewException extends Exception {

  MalformedReviewException(String sentence) {
    super(sentence);
  }
}
