package io.muster.faults;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * A request as it passes a {@link KillingProxy}. Immutable.
 *
 * @param path without the query
 * @param body decoded, empty if there is none
 */
public record HttpCall(String method, String path, String body) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The body as JSON; missing if it is none. */
  public JsonNode json() {
    return parsed(body);
  }

  static JsonNode parsed(String text) {
    try {
      return text.isEmpty() ? MissingNode.getInstance() : JSON.readTree(text);
    } catch (JacksonException _) {
      return MissingNode.getInstance();
    }
  }

  /**
   * The reply to a call.
   *
   * @param body decoded, empty if there is none
   */
  public record Reply(int status, String body) {

    public boolean isSuccess() {
      return status >= 200 && status < 300;
    }

    /** The body as JSON; missing if it is none. */
    public JsonNode json() {
      return parsed(body);
    }
  }
}
