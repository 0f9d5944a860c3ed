package io.muster.certs;

import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.LeafCheck;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a bundle should become now, and why. One step of a change of authority at most:
 *
 * <ol>
 *   <li><em>announce</em>: the next authority is trusted by Muster's ports, and callers are told to
 *       trust it. Asked for, or due within the last year of an authority that Muster made.
 *   <li><em>switch</em>: once it is valid, and all callers that can be told have been told, it
 *       issues the leaves.
 *   <li><em>end</em>: the former authority is dropped once its last leaf has ended.
 * </ol>
 *
 * <p>A leaf is issued again where {@link LeafCheck} says so. Immutable.
 */
record Renewal(CertificateBundle bundle, List<String> reasons) {

  /** With less than this left, an authority that Muster made gets a successor. */
  static final Duration SUCCESSION = Duration.ofDays(365);

  Renewal {
    reasons = List.copyOf(reasons);
  }

  static Renewal of(
      CertificateBundle held,
      ServerNames names,
      Predicate<X509Certificate> settled,
      InstantSource clock) {
    List<String> reasons = new ArrayList<>();
    CertificateBundle next = step(held, settled, clock, reasons);
    LeafCheck check = new LeafCheck(next.authority(), names, clock.instant());
    for (Purpose purpose : Purpose.values()) {
      Optional<String> why =
          next.leaf(purpose)
              .map(leaf -> check.whyReissue(purpose, leaf))
              .orElse(Optional.of("there was none"));
      if (why.isPresent()) {
        next = next.with(purpose, issue(next, purpose, names, clock));
        reasons.add("issued a " + purpose.words() + " certificate: " + why.get());
      }
    }
    return new Renewal(next, reasons);
  }

  private static CertificateBundle step(
      CertificateBundle held,
      Predicate<X509Certificate> settled,
      InstantSource clock,
      List<String> reasons) {
    Instant now = clock.instant();
    switch (held.change()) {
      case AuthorityChange.None() -> {
        X509Certificate authority = held.authority().certificate();
        Instant end = authority.getNotAfter().toInstant();
        if (CertificateAuthority.generation(authority).isPresent()
            && now.isAfter(end.minus(SUCCESSION))) {
          CertificateAuthority next = held.authority().successor(clock);
          reasons.add("announced " + named(next) + ": the CA ends at " + end);
          return held.announcing(next);
        }
      }
      case AuthorityChange.Announced(var next) -> {
        // One that was announced by a clock which was ahead may begin much later.
        boolean isValid = !now.isBefore(next.certificate().getNotBefore().toInstant());
        if (isValid && settled.test(next.certificate())) {
          reasons.add("switched to " + named(next) + ": all callers have been told");
          return held.switchedTo(next, clock);
        }
      }
      case AuthorityChange.Overlapping(var until) -> {
        if (!now.isBefore(until)) {
          reasons.add("dropped the former CA: its last certificate has ended");
          return held.withoutFormerAuthorities();
        }
      }
    }
    return held;
  }

  private static Identity issue(
      CertificateBundle bundle, Purpose purpose, ServerNames names, InstantSource clock) {
    return switch (purpose) {
      case SERVER -> bundle.authority().issueServer(forAll(bundle, names), clock);
      case SCHEDULER_CLIENT ->
          bundle.authority().issueClient(Certificates.SCHEDULER_CLIENT_NAME, clock);
    };
  }

  /** Where another replica wants other names, both get theirs, or they would issue in turns. */
  private static ServerNames forAll(CertificateBundle bundle, ServerNames names) {
    return bundle
        .leaf(Purpose.SERVER)
        .map(Identity::certificate)
        .filter(bundle.authority()::hasSigned)
        .filter(present -> !names.areCoveredBy(present))
        .flatMap(ServerNames::in)
        .map(names::and)
        .orElse(names);
  }

  private static String named(CertificateAuthority authority) {
    return authority.certificate().getSubjectX500Principal().getName();
  }
}
