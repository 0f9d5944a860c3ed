package io.muster.deploy.serve;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.CertificateIssueException;
import io.muster.certs.InvalidCertificateException;
import io.muster.certs.Pem;
import io.muster.certs.TrustRegistry;
import io.muster.webhook.kube.WebhookRegistration;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
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

  @Override
  public Optional<List<X509Certificate>> told() {
    try {
      read =
          Optional.ofNullable(
              client
                  .admissionRegistration()
                  .v1()
                  .mutatingWebhookConfigurations()
                  .withName(WebhookRegistration.NAME)
                  .get());
    } catch (KubernetesClientException e) {
      throw new CertificateIssueException(
          "the webhook's registration could not be read: " + e.getMessage(), e);
    }
    return read.map(RegisteredTrust::bundle);
  }

  @Override
  public void tell(List<X509Certificate> authorities) {
    if (read.isEmpty()) {
      return;
    }
    var bundle = base64(Pem.ofCertificates(authorities));
    var changed = new MutatingWebhookConfigurationBuilder(read.get()).build();
    changed.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(bundle));
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

  /** What all of its webhooks are told; nothing if that cannot be read. */
  private static List<X509Certificate> bundle(MutatingWebhookConfiguration configuration) {
    var bundles =
        configuration.getWebhooks().stream()
            .map(MutatingWebhook::getClientConfig)
            .map(config -> Optional.ofNullable(config.getCaBundle()).orElse(""))
            .distinct()
            .toList();
    if (bundles.size() != 1) {
      return List.of();
    }
    try {
      var pem = new String(Base64.getDecoder().decode(bundles.getFirst()), StandardCharsets.UTF_8);
      return Pem.certificates(pem);
    } catch (InvalidCertificateException | IllegalArgumentException _) {
      return List.of();
    }
  }

  private static String base64(String pem) {
    return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
  }
}
