package io.muster.extender.kube.write;

import java.time.Duration;
import java.util.Map;

/**
 * One request to the apiserver. The body is what Jackson turns into JSON: a map, or of a JSON patch
 * the list of its steps; an empty map means none. Immutable.
 */
public record ApiRequest(Verb verb, String path, Object body, Urgency urgency) {

  /**
   * The method, what its body is, and what the reply is to hold: nobody reads the object that a
   * patch has made, so its metadata will do. A failure comes as a Status in any case.
   */
  enum Verb {
    GET("GET", "application/json", Reply.OBJECT),
    CREATE("POST", "application/json", Reply.OBJECT),
    REPLACE("PUT", "application/json", Reply.OBJECT),
    MERGE("PATCH", "application/merge-patch+json", Reply.METADATA),
    JSON_PATCH("PATCH", "application/json-patch+json", Reply.METADATA),
    STRATEGIC_MERGE("PATCH", "application/strategic-merge-patch+json", Reply.METADATA),
    DELETE("DELETE", "application/json", Reply.OBJECT);

    private final String method;
    private final String contentType;
    private final String accept;

    Verb(String method, String contentType, String accept) {
      this.method = method;
      this.contentType = contentType;
      this.accept = accept;
    }

    String method() {
      return method;
    }

    String contentType() {
      return contentType;
    }

    String accept() {
      return accept;
    }
  }

  /** Media types of replies. */
  private static final class Reply {
    static final String OBJECT = "application/json";
    static final String METADATA =
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
  }

  /** Who waits for it: members on their way, only readers, or nobody, of whom there are most. */
  enum Urgency {
    URGENT,
    LEISURELY,
    EVENT
  }

  /** Deletes the object of that uid, and no other of its name. */
  static ApiRequest delete(String path, String uid, Urgency urgency) {
    return new ApiRequest(
        Verb.DELETE,
        path,
        Map.of("apiVersion", "v1", "kind", "DeleteOptions", "preconditions", Map.of("uid", uid)),
        urgency);
  }

  /** The same, with that grace period in place of the pod's own. */
  static ApiRequest delete(String path, String uid, Duration grace, Urgency urgency) {
    return new ApiRequest(
        Verb.DELETE,
        path,
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "DeleteOptions",
            "preconditions",
            Map.of("uid", uid),
            "gracePeriodSeconds",
            grace.toSeconds()),
        urgency);
  }

  boolean hasBody() {
    return !body.equals(Map.of());
  }

  static ApiRequest urgent(Verb verb, String path, Object body) {
    return new ApiRequest(verb, path, body, Urgency.URGENT);
  }

  static ApiRequest event(Verb verb, String path, Object body) {
    return new ApiRequest(verb, path, body, Urgency.EVENT);
  }
}
