package io.muster.extender.kube.write;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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
    return delete(path, Map.of("uid", uid), Optional.empty(), urgency);
  }

  /**
   * The same.
   *
   * @param preconditions what the metadata of the object are to be
   * @param grace in place of a pod's own grace period
   */
  static ApiRequest delete(
      String path, Map<String, String> preconditions, Optional<Duration> grace, Urgency urgency) {
    var options = new HashMap<String, Object>();
    options.put("apiVersion", "v1");
    options.put("kind", "DeleteOptions");
    options.put("preconditions", preconditions);
    grace.ifPresent(time -> options.put("gracePeriodSeconds", time.toSeconds()));
    return new ApiRequest(Verb.DELETE, path, options, urgency);
  }

  boolean hasBody() {
    return !body.equals(Map.of());
  }

  static ApiRequest get(String path) {
    return urgent(Verb.GET, path, Map.of());
  }

  static ApiRequest urgent(Verb verb, String path, Object body) {
    return new ApiRequest(verb, path, body, Urgency.URGENT);
  }

  static ApiRequest event(Verb verb, String path, Object body) {
    return new ApiRequest(verb, path, body, Urgency.EVENT);
  }
}
