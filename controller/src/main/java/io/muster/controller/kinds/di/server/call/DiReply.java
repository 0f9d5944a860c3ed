package io.muster.controller.kinds.di.server.call;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a caller gets, in the one form of all answers. Immutable.
 *
 * @param data that was asked for, as it is to be in JSON
 */
public record DiReply(int status, boolean isSuccess, String message, Optional<Object> data) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Where the pods of a job with a coordinator are. A wire type. Immutable. */
  public record Urls(
      String namespace, String coordinator, List<String> collectors, List<String> learners) {

    public Urls {
      collectors = List.copyOf(collectors);
      learners = List.copyOf(learners);
    }
  }

  /** The one form of all answers. A wire type: absent data are null. */
  private record Envelope(boolean success, int code, String message, Object data) {}

  public static DiReply done(String message, Object data) {
    return new DiReply(200, true, message, Optional.of(data));
  }

  /** Done, and there is nothing to tell. */
  public static DiReply done(String message) {
    return new DiReply(200, true, message, Optional.empty());
  }

  public static DiReply refused(RefusedException refusal) {
    return new DiReply(refusal.status(), false, refusal.getMessage(), Optional.empty());
  }

  public CompletableFuture<DiReply> atOnce() {
    return CompletableFuture.completedFuture(this);
  }

  public byte[] body() {
    try {
      return JSON.writeValueAsBytes(
          new Envelope(isSuccess, isSuccess ? 0 : 1, message, data.orElse(null)));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
