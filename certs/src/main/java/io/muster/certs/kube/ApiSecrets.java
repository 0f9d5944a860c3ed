package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.x509.CertificateIssueException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** The Secrets that the apiserver has. Safe for concurrent use. */
record ApiSecrets(KubernetesClient client, String namespace) implements Secrets {

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
    String sentence =
        switch (cause.getCode()) {
          case 0 -> "Kubernetes did not answer when asked to " + verb + " Secret " + secret;
          case HttpURLConnection.HTTP_FORBIDDEN ->
              "Kubernetes refused to "
                  + verb
                  + " Secret "
                  + secret
                  + " (HTTP status 403): allow Muster's service account to get, create and update it";
          default ->
              "Kubernetes refused to "
                  + verb
                  + " Secret "
                  + secret
                  + " (HTTP status "
                  + cause.getCode()
                  + ")";
        };
    return new CertificateIssueException(sentence, cause);
  }
}
