package io.muster.certs;

import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Set;

/**
 * What an operator may ask for before it is due; running processes find it in the store and go on
 * from there. Immutable.
 */
public sealed interface Rotation {

  /** What the bundle becomes. */
  CertificateBundle of(CertificateBundle held, InstantSource clock);

  /** Leaves are issued again, the server's under the names it has. */
  record Leaves(Set<Purpose> purposes) implements Rotation {

    public Leaves {
      purposes = Set.copyOf(purposes);
    }

    @Override
    public CertificateBundle of(CertificateBundle held, InstantSource clock) {
      CertificateBundle next = held;
      for (Purpose purpose : purposes) {
        X509Certificate present =
            held.leaf(purpose)
                .orElseThrow(() ->
                    new CertificateIssueException(
                        "there is no "
                            + purpose.words()
                            + " certificate yet: a running Muster issues it"))
                .certificate();
        Identity issued =
            switch (purpose) {
              case SERVER -> held.authority().issueServer(names(present), clock);
              case SCHEDULER_CLIENT ->
                  held.authority().issueClient(Certificates.SCHEDULER_CLIENT_NAME, clock);
            };
        next = next.with(purpose, issued);
      }
      return next;
    }

    private static ServerNames names(X509Certificate server) {
      return ServerNames.in(server)
          .orElseThrow(() ->
              new CertificateIssueException(
                  "the server certificate names nobody: a running Muster issues it again"));
    }
  }

  /** A new CA is announced; running processes switch to it when callers have been told. */
  record Authority() implements Rotation {

    @Override
    public CertificateBundle of(CertificateBundle held, InstantSource clock) {
      if (held.change() instanceof AuthorityChange.Overlapping(var until)) {
        throw new CertificateIssueException(
            "the former CA is still trusted, until "
                + until
                + ": end that first, if nobody uses its certificates any more");
      }
      return held.announcing(held.authority().successor(clock));
    }
  }

  /** The former CA is trusted no more, whoever still uses its certificates. */
  record EndOfOverlap() implements Rotation {

    @Override
    public CertificateBundle of(CertificateBundle held, InstantSource clock) {
      return held.withoutFormerAuthorities();
    }
  }
}
