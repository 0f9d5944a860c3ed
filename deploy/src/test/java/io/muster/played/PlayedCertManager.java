package io.muster.played;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.ServerNames;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What cert-manager does with the Certificates of one ClusterIssuer: it writes the Secrets that
 * they name, each with a new key and {@code ca.crt}, and all of them again when it is told to renew
 * them. Safe for concurrent use.
 */
final class PlayedCertManager implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PlayedCertManager.class);
  private static final Duration STEP = Duration.ofMillis(200);
  private static final InstantSource CLOCK = InstantSource.system();

  private static final ResourceDefinitionContext CERTIFICATES =
      new ResourceDefinitionContext.Builder()
          .withGroup("cert-manager.io")
          .withVersion("v1")
          .withKind("Certificate")
          .withPlural("certificates")
          .withNamespaced(true)
          .build();

  private final KubernetesClient client;
  private final String issuer;
  private final Thread thread;
  private final Map<String, Issued> issued = new HashMap<>();
  private CertificateAuthority authority = CertificateAuthority.create(CLOCK);
  private int edition;

  /** For the Certificate of a uid. */
  private record Issued(int edition, String name, Identity identity) {}

  /**
   * @param issuer the name of the ClusterIssuer
   */
  PlayedCertManager(KubernetesClient client, String issuer) {
    this.client = client;
    this.issuer = issuer;
    thread = Thread.ofPlatform().daemon().name("cert-manager").start(this::follow);
  }

  /** All certificates anew, of the same authority. */
  synchronized void renew() {
    edition++;
  }

  /** All certificates anew, of another authority; nobody is told of it before. */
  synchronized void renewWithAnotherAuthority() {
    authority = authority.successor(CLOCK);
    edition++;
  }

  /** Who issues now. */
  synchronized X509Certificate authority() {
    return authority.certificate();
  }

  /** What the Certificate of that name has got, once that is of the present edition. */
  synchronized Optional<X509Certificate> issued(String name) {
    return issued.values().stream()
        .filter(one -> one.edition() == edition && one.name().equals(name))
        .map(one -> one.identity().certificate())
        .findFirst();
  }

  private void follow() {
    try {
      while (true) {
        try {
          client
              .genericKubernetesResources(CERTIFICATES)
              .inAnyNamespace()
              .list()
              .getItems()
              .forEach(this::issue);
        } catch (KubernetesClientException e) {
          LOG.info("certificates wait: {}", e.getMessage());
        }
        Thread.sleep(STEP);
      }
    } catch (InterruptedException _) {
      // Closed.
    }
  }

  private synchronized void issue(GenericKubernetesResource wanted) {
    var uid = wanted.getMetadata().getUid();
    var present = issued.get(uid);
    if (!"ClusterIssuer".equals(wanted.get("spec", "issuerRef", "kind"))
        || !issuer.equals(wanted.get("spec", "issuerRef", "name"))
        || (present != null && present.edition() == edition)) {
      return;
    }
    var identity = identity(wanted);
    write(wanted, identity);
    issued.put(uid, new Issued(edition, wanted.getMetadata().getName(), identity));
  }

  private Identity identity(GenericKubernetesResource wanted) {
    if (texts(wanted, "usages").contains("server auth")) {
      var names = new ArrayList<>(texts(wanted, "dnsNames"));
      names.addAll(texts(wanted, "ipAddresses"));
      return authority.issueServer(ServerNames.of(names), CLOCK);
    }
    return authority.issueClient(wanted.get("spec", "commonName"), CLOCK);
  }

  private static List<String> texts(GenericKubernetesResource wanted, String field) {
    return Objects.requireNonNullElse(wanted.<List<String>>get("spec", field), List.of());
  }

  private void write(GenericKubernetesResource wanted, Identity identity) {
    var data =
        Map.of(
                "ca.crt", authority.identity().chainPem(),
                "tls.crt", identity.chainPem(),
                "tls.key", identity.keyPem())
            .entrySet()
            .stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> encoded(entry.getValue())));
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withNamespace(wanted.getMetadata().getNamespace())
            .withName(wanted.get("spec", "secretName"))
            .addToAnnotations("cert-manager.io/certificate-name", wanted.getMetadata().getName())
            .endMetadata()
            .withType("kubernetes.io/tls")
            .withData(data)
            .build();
    client.resource(secret).forceConflicts().serverSideApply();
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
