package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.certs.CertificateSource;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Certificates from elsewhere, cert-manager for instance: read at every check, never written, never
 * renewed. The server's Secret holds tls.crt, tls.key and ca.crt; another one may hold, in its
 * ca.crt, the authorities of the clients, and in tls.crt what kube-scheduler shows. Safe for
 * concurrent use.
 */
public final class GivenSecrets implements CertificateSource {

  private static final String REMEDY =
      "put it right where it comes from (Muster never writes this Secret); a running Muster goes on"
          + " with the certificates it has";

  private final Secrets secrets;
  private final String serverSecret;
  private final String clientSecret;
  private final Set<String> calledAs;
  private final InstantSource clock;

  /**
   * @param clientSecret may be the same as the server's
   * @param calledAs DNS names that callers verify the server by: each has to be in its certificate
   */
  public GivenSecrets(
      KubernetesClient client,
      String namespace,
      String serverSecret,
      String clientSecret,
      Set<String> calledAs,
      InstantSource clock) {
    this(new ApiSecrets(client, namespace, "get"), serverSecret, clientSecret, calledAs, clock);
  }

  GivenSecrets(
      Secrets secrets,
      String serverSecret,
      String clientSecret,
      Set<String> calledAs,
      InstantSource clock) {
    this.secrets = secrets;
    this.serverSecret = serverSecret;
    this.clientSecret = clientSecret;
    this.calledAs = Set.copyOf(calledAs);
    this.clock = clock;
  }

  @Override
  public Credentials refresh(Predicate<X509Certificate> settled) {
    SecretFields server = fields(serverSecret);
    List<X509Certificate> authorities = server.certificates(SecretFields.CA_CERTIFICATE, REMEDY);
    Identity identity =
        server
            .leaf(REMEDY)
            .orElseThrow(() ->
                server.refusal(
                    CertificateFault.MISSING,
                    SecretFields.CERTIFICATE,
                    "it is missing or empty",
                    REMEDY));
    new GivenLeaf(identity.chain(), authorities)
        .fault(clock.instant(), calledAs)
        .ifPresent(wrong -> {
          throw server.refusal(wrong.fault(), SecretFields.CERTIFICATE, wrong.problem(), REMEDY);
        });
    if (clientSecret.equals(serverSecret)) {
      return new Credentials(identity, authorities, authorities, List.of());
    }
    SecretFields clients = fields(clientSecret);
    return new Credentials(
        identity,
        authorities,
        clients.certificates(SecretFields.CA_CERTIFICATE, REMEDY),
        clients.has(SecretFields.CERTIFICATE)
            ? clients.certificates(SecretFields.CERTIFICATE, REMEDY)
            : List.of());
  }

  private SecretFields fields(String name) {
    Secret secret =
        secrets
            .get(name)
            .orElseThrow(() ->
                new InvalidCertificateException(
                    CertificateFault.MISSING,
                    "Secret "
                        + secrets.namespace()
                        + "/"
                        + name
                        + " does not exist; make it, with tls.crt, tls.key and ca.crt"));
    return SecretFields.of(secret);
  }
}
