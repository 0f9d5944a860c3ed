package io.muster.extender.kube;

import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * What the API server says of Muster's own rights. A refusal alone says nothing of them: an API
 * server that has just started refuses everything until it has read all roles. Safe for concurrent
 * use.
 */
public final class OwnRights {

  /** Whether Muster has a right. */
  public enum Standing {
    GRANTED,
    DENIED,
    /** It refuses to say, which everybody who is known may ask: it knows no roles. */
    UNKNOWN
  }

  private final KubernetesClient client;

  public OwnRights(KubernetesClient client) {
    this.client = client;
  }

  /** Asks by the ClusterRole system:basic-user. Blocks for one request. */
  public Standing ask(ResourceAttributes right) {
    try {
      var review =
          client
              .authorization()
              .v1()
              .selfSubjectAccessReview()
              .create(
                  new SelfSubjectAccessReviewBuilder()
                      .withNewSpec()
                      .withResourceAttributes(right)
                      .endSpec()
                      .build());
      return review.getStatus() != null && Boolean.TRUE.equals(review.getStatus().getAllowed())
          ? Standing.GRANTED
          : Standing.DENIED;
    } catch (KubernetesClientException _) {
      return Standing.UNKNOWN;
    }
  }
}
