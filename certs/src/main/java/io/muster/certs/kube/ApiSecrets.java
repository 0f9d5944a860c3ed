package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.x509.CertificateIssueException;
import java.net.HttpURLConnection;
import java.util.Optional;

/**
 * The Secrets that the apiserver has. Safe for concurrent use.
 *
 * @param rights the verbs that are needed, for whoever has to grant them
 */
record ApiSecrets(KubernetesClient client, String namespace, String rights) implements Secrets {

  @Override
  public Optional<Secret> get(String name) {
    try {
      return Optional.ofNullable(client.secrets().inNamespace(namespace).withName(name).get());
    } catch (KubernetesClientException e) {
      throw failed("read", name, e);
    }
  }

  @Override
  public boolean create(Secret secret) {
    return unlessConflict("create", secret, () -> client.resource(secret).create());
  }

  @Override
  public boolean update(Secret secret) {
    return unlessConflict("update", secret, () -> client.resource(secret).update());
  }

  private boolean unlessConflict(String verb, Secret secret, Runnable write) {
    try {
      write.run();
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw failed(verb, secret.getMetadata().getName(), e);
    }
  }

  private CertificateIssueException failed(
      String verb, String name, KubernetesClientException cause) {
    String secret = namespace + "/" + name;
    if (cause.getCode() == 0) {
      return new CertificateIssueException(
          "Kubernetes did not answer when asked to " + verb + " Secret " + secret, cause);
    }
    return new CertificateIssueException(
        "Kubernetes refused to %s Secret %s (HTTP status %d)%s"
            .formatted(verb, secret, cause.getCode(), why(cause)),
        cause);
  }

  /** Quotas and webhooks answer with the same status as a missing right. */
  private String why(KubernetesClientException cause) {
    String words =
        Optional.ofNullable(cause.getStatus()).map(Status::getMessage).orElse("").strip();
    boolean isRight =
        cause.getCode() == HttpURLConnection.HTTP_FORBIDDEN
            && !words.contains("exceeded quota")
            && !words.contains("denied the request");
    if (isRight) {
      return ": allow Muster's service account to %s it".formatted(rights);
    }
    return words.isEmpty() ? "" : ": " + words.lines().findFirst().orElse("");
  }
}
