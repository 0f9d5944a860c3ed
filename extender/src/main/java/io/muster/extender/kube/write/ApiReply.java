package io.muster.extender.kube.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * What came of one request. Immutable.
 *
 * @param code the HTTP status; 0 if the apiserver could not be reached or did not answer in time
 * @param body the reply as JSON, a missing node where there is none
 * @param message why it failed, one sentence; empty if it did not
 */
public record ApiReply(int code, JsonNode body, String message) {

  private static final int FORBIDDEN = 403;
  private static final int UNPROCESSABLE = 422;

  static ApiReply unreachable(String why) {
    return new ApiReply(0, MissingNode.getInstance(), why);
  }

  boolean isDone() {
    return code >= 200 && code < 300;
  }

  boolean isNotFound() {
    return code == 404;
  }

  boolean isConflict() {
    return code == 409;
  }

  /** Whether the same request may well succeed in a moment. */
  boolean isTransient() {
    return code == 0 || code == 429 || code >= 500;
  }

  /** Whether it is no answer: out of reach, too slow or too busy, of which nothing follows. */
  boolean saysNothing() {
    return code == 0 || code == 429 || code == 503 || code == 504;
  }

  /** Whether the object of that uid is gone, or another has taken its name. */
  boolean saysGone() {
    return isNotFound() || isConflict() || isOtherUid();
  }

  /** Whether the object is not as a JSON patch takes it to be, or would not be valid after it. */
  boolean saysOtherwise() {
    return code == UNPROCESSABLE && !isOtherUid();
  }

  /** Whether nothing can be made in the namespace any more. */
  boolean saysNamespaceEnds() {
    return code == FORBIDDEN && hasCause("reason", "NamespaceTerminating");
  }

  /** Whether the object is there and is being deleted. */
  boolean isGoing() {
    return isDone() && body.path("metadata").hasNonNull("deletionTimestamp");
  }

  private boolean isOtherUid() {
    return code == UNPROCESSABLE && hasCause("field", "metadata.uid");
  }

  private boolean hasCause(String field, String value) {
    for (var cause : body.path("details").path("causes")) {
      if (cause.path(field).asText().equals(value)) {
        return true;
      }
    }
    return false;
  }
}
