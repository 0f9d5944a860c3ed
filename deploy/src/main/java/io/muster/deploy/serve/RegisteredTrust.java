package io.muster.deploy.serve;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.TrustRegistry;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.deploy.config.ApiRefusal;
import io.muster.webhook.kube.RegisteredAuthorities;
import io.muster.webhook.kube.Registration;
import java.net.HttpURLConnection;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the apiserver is told of authorities: the {@code caBundle} of the webhook's registration.
 * Only changed, never made: a registration that was taken away stays away. Confined to one thread
 * at a time.
 */
public final class RegisteredTrust implements TrustRegistry {

  private static final Logger LOG = LoggerFactory.getLogger(RegisteredTrust.class);

  private final KubernetesClient client;
  private Optional<MutatingWebhookConfiguration> read = Optional.empty();

  public RegisteredTrust(KubernetesClient client) {
    this.client = client;
  }

  /** The webhook's registration as the API server has it; empty if there is none. */
  public static Optional<MutatingWebhookConfiguration> stored(KubernetesClient client) {
    return Optional.ofNullable(
        client
            .admissionRegistration()
            .v1()
            .mutatingWebhookConfigurations()
            .withName(Registration.NAME)
            .get());
  }

  @Override
  public Optional<List<X509Certificate>> told() {
    try {
      read = stored(client);
    } catch (KubernetesClientException e) {
      throw new CertificateIssueException(
          "the webhook's registration could not be read: " + ApiRefusal.sentence(e), e);
    }
    return read.map(RegisteredAuthorities::of);
  }

  @Override
  public void tell(List<X509Certificate> authorities) {
    if (read.isEmpty()) {
      return;
    }
    var changed = new MutatingWebhookConfigurationBuilder(read.get()).build();
    RegisteredAuthorities.write(changed, authorities);
    try {
      // Carries the version that was read: a change in between makes it a conflict.
      client.resource(changed).update();
      LOG.atInfo()
          .addKeyValue(
              "authorities",
              authorities.stream().map(X509Certificate::getSubjectX500Principal).toList())
          .log("the webhook's registration was told whom to trust");
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
          && e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw new CertificateIssueException(
            "the webhook's registration could not be changed: " + e.getMessage(), e);
      }
    }
  }
}
