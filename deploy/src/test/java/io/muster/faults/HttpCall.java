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

  /** kube-scheduler asks where a pod of the namespace may go. */
  boolean isFilterOf(String namespace) {
    return path.equals("/v1/filter")
        && json().at("/Pod/metadata/namespace").asText("").equals(namespace);
  }

  /** kube-scheduler wants a pod of the namespace bound. */
  boolean isBindOf(String namespace) {
    return path.equals("/v1/bind") && json().path("PodNamespace").asText("").equals(namespace);
  }

  /** Muster stores the write-ahead record of a gang of the namespace. */
  boolean isRecordOf(String namespace) {
    return path.startsWith("/apis/muster.io/v1alpha1/namespaces/" + namespace + "/gangs/")
        && path.endsWith("/status")
        && json().at("/status/phase").asText("").equals("Binding");
  }

  /** Muster binds a pod of the namespace. */
  boolean isBindingOf(String namespace) {
    return method.equals("POST")
        && path.startsWith("/api/v1/namespaces/" + namespace + "/pods/")
        && path.endsWith("/binding");
  }

  /** Muster takes its gate off a pod of the namespace. */
  boolean isReleaseOf(String namespace) {
    return method.equals("PATCH")
        && path.startsWith("/api/v1/namespaces/" + namespace + "/pods/")
        && body.contains("schedulingGates");
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
