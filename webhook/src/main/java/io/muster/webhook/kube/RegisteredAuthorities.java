package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Pem;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The {@code caBundle} of a webhook configuration, the same in each of its entries: which
 * authorities the apiserver believes. While one authority follows another it holds both, so whoever
 * writes the rest of the configuration leaves in it what was there. Stateless.
 */
public final class RegisteredAuthorities {

  private RegisteredAuthorities() {}

  /** What all of its webhooks are told; nothing if they differ or cannot be read. */
  public static List<X509Certificate> of(MutatingWebhookConfiguration configuration) {
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

  /** Tells all of its webhooks the same. */
  public static void write(
      MutatingWebhookConfiguration configuration, List<X509Certificate> authorities) {
    var pem = Pem.ofCertificates(authorities).getBytes(StandardCharsets.US_ASCII);
    var bundle = Base64.getEncoder().encodeToString(pem);
    configuration.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(bundle));
  }

  /** Adds what the one in the cluster is told to what this one is to be told. */
  static void keep(MutatingWebhookConfiguration wanted, MutatingWebhookConfiguration found) {
    var authorities = new ArrayList<>(of(wanted));
    of(found).stream().filter(ca -> !authorities.contains(ca)).forEach(authorities::add);
    write(wanted, authorities);
  }

  /** Whether the one in the cluster is told of all that this one is to be told of. */
  static boolean cover(MutatingWebhookConfiguration found, MutatingWebhookConfiguration wanted) {
    return of(found).containsAll(of(wanted));
  }
}
