package io.muster.webhook.json;

import java.io.Serial;

/** What was sent is no pod; the message says so in one sentence. */
public final class MalformedPodException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  MalformedPodException(String message) {
    super(message);
  }
}
