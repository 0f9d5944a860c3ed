package io.muster.webhook.json;

/** What was sent is no pod; the message says so in one sentence. */
public final class MalformedPodException extends Exception {

  MalformedPodException(String message) {
    super(message);
  }
}
