package io.muster.certs;

import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the certificates of a running process in order, check by check:
 *
 * <ol>
 *   <li>what callers have been told to believe is noted;
 *   <li>the source is asked, which renews what is due;
 *   <li>callers are told of new authorities, before any port shows a leaf of theirs;
 *   <li>the ports believe the new clients at once, and show the new leaf as soon as callers have
 *       had the time to learn of its authority.
 * </ol>
 *
 * <p>Whatever is wrong with what the source found, the certificates in use stay, and a check never
 * throws. Checks may be called at once; all but one of them return without doing anything.
 */
public final class Upkeep {

  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

  private final CertificateSource source;
  private final Certificates running;
  private final CertificateWitness witness;
  private final CallersTrust callers;
  private final ReentrantLock oneAtATime = new ReentrantLock();

  /** The authorities that came with the leaf that is shown, and were believed by then. */
  private List<X509Certificate> believedBy;

  private String lastRefusal = "";

  /**
   * @param settling how long it takes at most until all callers and all replicas know what was
   *     written; at least two checks
   */
  public Upkeep(
      CertificateSource source,
      Certificates running,
      TrustRegistry registry,
      CertificateWitness witness,
      InstantSource clock,
      Duration settling) {
    this.source = source;
    this.running = running;
    this.witness = witness;
    this.believedBy = running.current().authorities();
    this.callers = new CallersTrust(registry, believedBy, clock, settling);
    witness.adopted(running.current());
  }

  /** One check. */
  public void check() {
    if (!oneAtATime.tryLock()) {
      return;
    }
    try {
      callers.check();
      Credentials found = source.refresh(callers::isSettled);
      boolean isShown = adopt(found);
      callers.want(isShown ? found.authorities() : both(found.authorities(), believedBy));
      if (!lastRefusal.isEmpty()) {
        lastRefusal = "";
        LOG.info("Certificates are in order again");
      }
    } catch (InvalidCertificateException e) {
      refused(e.fault(), e);
    } catch (CertificateIssueException e) {
      refused(CertificateFault.UNREACHABLE, e);
    } catch (RuntimeException e) {
      LOG.error("Certificates could not be looked after", e);
      refused(CertificateFault.INTERNAL, e);
    } finally {
      oneAtATime.unlock();
    }
  }

  /** Whether its leaf is the one that is shown from now on. */
  private boolean adopt(Credentials found) {
    Credentials now = running.current();
    List<X509Certificate> believed =
        found.authorities().stream()
            .filter(ca -> believedBy.contains(ca) || callers.isSettled(ca))
            .toList();
    boolean isShown =
        found.server().equals(now.server())
            || believed.stream().anyMatch(ca -> leadsTo(ca, found.server()));
    Credentials next =
        isShown
            ? found
            : new Credentials(
                now.server(),
                found.authorities(),
                found.clientAuthorities(),
                found.schedulerClient());
    if (!next.server().equals(now.server())) {
      believedBy = believed;
    }
    if (!next.equals(now)) {
      running.adopt(next);
      witness.adopted(next);
      LOG.info(
          "Certificates were swapped server={} authorities={}",
          next.server(),
          next.authorities().stream().map(X509Certificate::getSubjectX500Principal).toList());
    }
    return isShown;
  }

  private static boolean leadsTo(X509Certificate authority, Identity shown) {
    return shown.chain().stream()
        .anyMatch(link -> link.equals(authority) || CertificateAuthority.signed(authority, link));
  }

  private static List<X509Certificate> both(
      List<X509Certificate> some, List<X509Certificate> others) {
    return Stream.concat(some.stream(), others.stream()).distinct().toList();
  }

  private void refused(CertificateFault fault, RuntimeException why) {
    if (!lastRefusal.equals(why.getMessage())) {
      lastRefusal = String.valueOf(why.getMessage());
      LOG.warn("Certificates were not taken over fault={} reason=\"{}\"", fault, lastRefusal);
    }
    witness.refused(fault, String.valueOf(why.getMessage()));
  }
}
