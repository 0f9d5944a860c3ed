package io.muster.extender.kube.write;

import java.util.Map;

/**
 * One request to the apiserver. The body is what Jackson turns into JSON; an empty map means none.
 * Immutable.
 */
public record ApiRequest(Verb verb, String path, Map<String, ?> body, Urgency urgency) {

  /** The method and what its body is. */
  enum Verb {
    GET("GET", "application/json"),
    CREATE("POST", "application/json"),
    REPLACE("PUT", "application/json"),
    MERGE("PATCH", "application/merge-patch+json"),
    STRATEGIC_MERGE("PATCH", "application/strategic-merge-patch+json"),
    DELETE("DELETE", "application/json");

    private final String method;
    private final String contentType;

    Verb(String method, String contentType) {
      this.method = method;
      this.contentType = contentType;
    }

    String method() {
      return method;
    }

    String contentType() {
      return contentType;
    }
  }

  /** Who waits for it: members on their way, or only readers. */
  enum Urgency {
    URGENT,
    LEISURELY
  }

  /** Deletes the object of that uid, and no other of its name. */
  static ApiRequest delete(String path, String uid, Urgency urgency) {
    return new ApiRequest(
        Verb.DELETE,
        path,
        Map.of("apiVersion", "v1", "kind", "DeleteOptions", "preconditions", Map.of("uid", uid)),
        urgency);
  }

  static ApiRequest urgent(Verb verb, String path, Map<String, ?> body) {
    return new ApiRequest(verb, path, body, Urgency.URGENT);
  }

  static ApiRequest leisurely(Verb verb, String path, Map<String, ?> body) {
    return new ApiRequest(verb, path, body, Urgency.LEISURELY);
  }
}
