package io.muster.certs;

import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The door of this module: the certificates that one Muster process works with. Invariant: the
 * leaves are signed by the authority, valid when {@link #ensure} returned, and the server's covers
 * the names asked for. Safe for concurrent use.
 */
public final class Certificates {

  private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
  private static final String SCHEDULER_CLIENT_NAME = "muster-scheduler-client";
  private static final int ATTEMPTS = 5;

  private final CertificateBundle bundle;
  private final ServingKeyManager servingKeys;
  private final TrustedClients trustedClients;

  private Certificates(CertificateBundle bundle, InstantSource clock) {
    this.bundle = bundle;
    this.servingKeys = new ServingKeyManager(leaf(bundle, Purpose.SERVER));
    this.trustedClients = new TrustedClients(bundle.trusted(), clock);
  }

  /**
   * Loads what is stored, or makes an authority and its leaves at the first start. A leaf that is
   * missing, unusable, expired or within 30 days of it, or lacks one of the names is issued again
   * by the same authority. Replicas that do this at once end with the same certificates.
   *
   * @throws InvalidCertificateException if what is stored cannot be used; nothing is overwritten
   * @throws CertificateIssueException if no certificate could be issued or stored
   */
  public static Certificates ensure(
      CertificateStore store, ServerNames names, InstantSource clock) {
    CertificateBundle held = store.load().orElseGet(() -> begin(store, names, clock));
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      refuseIfAuthorityEnded(held.authority(), clock.instant());
      Renewal renewal = renewal(held, names, clock);
      if (renewal.reasons().isEmpty()) {
        return new Certificates(held, clock);
      }
      CertificateBundle stored = store.replace(held, renewal.bundle());
      if (stored.equals(renewal.bundle())) {
        renewal.reasons().forEach((purpose, reason) -> logIssued(stored, purpose, reason));
        return new Certificates(stored, clock);
      }
      held = stored;
    }
    throw new CertificateIssueException(
        "the stored certificates changed "
            + ATTEMPTS
            + " times while they were renewed: do all replicas use the same server names?");
  }

  /** The trusted authorities as PEM: the webhook configuration's caBundle, before base64. */
  public String caBundlePem() {
    return bundle.trustedPem();
  }

  /** What the TLS ports show. */
  public Identity serverIdentity() {
    return servingKeys.current();
  }

  /** What kube-scheduler shows to the extender. */
  public Identity schedulerClient() {
    return leaf(bundle, Purpose.SCHEDULER_CLIENT);
  }

  /** The keys for this process's TLS ports; one instance for all of them, swapped in one place. */
  public ServingKeyManager servingKeys() {
    return servingKeys;
  }

  /** Clients with a certificate from Muster's own authority. */
  public TrustedClients trustedClients() {
    return trustedClients;
  }

  private static CertificateBundle begin(
      CertificateStore store, ServerNames names, InstantSource clock) {
    CertificateBundle empty = CertificateBundle.of(CertificateAuthority.create(clock));
    Renewal renewal = renewal(empty, names, clock);
    CertificateBundle stored = store.create(renewal.bundle());
    if (stored.equals(renewal.bundle())) {
      LOG.info("Made a new CA reason=\"no certificates were stored\"");
      renewal.reasons().forEach((purpose, reason) -> logIssued(stored, purpose, reason));
    }
    return stored;
  }

  private static Renewal renewal(CertificateBundle held, ServerNames names, InstantSource clock) {
    LeafCheck check = new LeafCheck(held.authority(), names, clock.instant());
    Map<Purpose, String> reasons = new EnumMap<>(Purpose.class);
    for (Purpose purpose : Purpose.values()) {
      Optional<Identity> leaf = held.leaf(purpose);
      if (leaf.isEmpty()) {
        reasons.put(purpose, "there was none");
      } else {
        check.whyReissue(purpose, leaf.get()).ifPresent(why -> reasons.put(purpose, why));
      }
    }
    CertificateBundle next = held;
    for (Purpose purpose : reasons.keySet()) {
      next = next.with(purpose, issue(held.authority(), purpose, names, clock));
    }
    return new Renewal(next, reasons);
  }

  private static void logIssued(CertificateBundle bundle, Purpose purpose, String reason) {
    LOG.info(
        "Issued a {} certificate until={} reason=\"{}\"",
        purpose.words(),
        leaf(bundle, purpose).certificate().getNotAfter().toInstant(),
        reason);
  }

  private static Identity issue(
      CertificateAuthority authority, Purpose purpose, ServerNames names, InstantSource clock) {
    return switch (purpose) {
      case SERVER -> authority.issueServer(names, clock);
      case SCHEDULER_CLIENT -> authority.issueClient(SCHEDULER_CLIENT_NAME, clock);
    };
  }

  private static void refuseIfAuthorityEnded(CertificateAuthority authority, Instant now) {
    Instant end = authority.certificate().getNotAfter().toInstant();
    if (!now.isBefore(end)) {
      throw new InvalidCertificateException(
          "the CA certificate expired at "
              + end
              + ": remove the stored certificates so that the next start makes a new CA, then give"
              + " its certificate to everyone who trusted the old one");
    }
  }

  private static Identity leaf(CertificateBundle bundle, Purpose purpose) {
    return bundle
        .leaf(purpose)
        .orElseThrow(
            () -> new CertificateIssueException("no " + purpose.words() + " certificate issued"));
  }

  /** The bundle with every leaf usable, and why those that are new had to be issued. */
  private record Renewal(CertificateBundle bundle, Map<Purpose, String> reasons) {}
}
