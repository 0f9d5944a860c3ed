package io.muster.certs;

import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.LeafCheck;
import io.muster.certs.x509.Pem;
import io.muster.certs.x509.ServerNames;
import io.muster.certs.x509.ServingKeyManager;
import io.muster.certs.x509.TrustedClients;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The door of this module: the certificates that one Muster process works with, the same for all
 * its ports. They can be swapped while ports are open: new handshakes see the new ones, open
 * connections go on. Safe for concurrent use.
 */
public final class Certificates {

  /** The name in the certificate that Muster makes for kube-scheduler. */
  public static final String SCHEDULER_CLIENT_NAME = "muster-scheduler-client";

  private final AtomicReference<Credentials> current;
  private final ServingKeyManager servingKeys;
  private final TrustedClients trustedClients;

  /**
   * @param clientNames common names of the clients that may call; empty: any name
   */
  public Certificates(Credentials credentials, Set<String> clientNames, InstantSource clock) {
    this.current = new AtomicReference<>(credentials);
    this.servingKeys = new ServingKeyManager(credentials.server());
    this.trustedClients = new TrustedClients(credentials.clientAuthorities(), clientNames, clock);
  }

  /**
   * Loads what is stored, or makes an authority and its leaves, as {@link OwnCertificates} does.
   *
   * @throws InvalidCertificateException if what is stored cannot be used; nothing is overwritten
   * @throws CertificateIssueException if no certificate could be issued or stored
   */
  public static Certificates ensure(
      CertificateStore store, ServerNames names, InstantSource clock) {
    Credentials credentials = new OwnCertificates(store, names, clock).refresh(_ -> false);
    return new Certificates(credentials, Set.of(SCHEDULER_CLIENT_NAME), clock);
  }

  /** When Muster issues this leaf again. */
  public static Instant renewalDue(X509Certificate leaf) {
    return LeafCheck.renewalDue(leaf);
  }

  /** What is shown and believed now. */
  public Credentials current() {
    return current.get();
  }

  /** Believes clients of these authorities from the next handshake on, and shows this identity. */
  void adopt(Credentials credentials) {
    trustedClients.trust(credentials.clientAuthorities());
    if (!credentials.server().equals(current.getAndSet(credentials).server())) {
      servingKeys.swap(credentials.server());
    }
  }

  /** The authorities as PEM: the webhook configuration's caBundle, before base64. */
  public String caBundlePem() {
    return Pem.ofCertificates(current().authorities());
  }

  /** What the TLS ports show. */
  public Identity serverIdentity() {
    return servingKeys.current();
  }

  /** The keys for this process's TLS ports; one instance for all of them, swapped in one place. */
  public ServingKeyManager servingKeys() {
    return servingKeys;
  }

  /** The clients that may call the extender. */
  public TrustedClients trustedClients() {
    return trustedClients;
  }
}
