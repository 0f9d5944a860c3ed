package io.muster.deploy.certs;

import io.muster.certs.Certificates;
import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.Purpose;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.security.auth.x500.X500Principal;

/** What {@code muster certs status} prints: never a key. Immutable. */
record Report(Instant now, Optional<List<X509Certificate>> told) {

  private static final String ROW = "%-17s %-33s %-21s %9s  %-21s %s";

  /** Of certificates that Muster made. */
  List<String> of(CertificateBundle bundle) {
    var lines = new ArrayList<String>();
    lines.add(header());
    bundle
        .trusted()
        .forEach(ca ->
            lines.add(
                row(
                    ca.equals(bundle.authority().certificate()) ? "CA, issues" : "CA, trusted",
                    ca,
                    "-")));
    for (var purpose : Purpose.values()) {
      lines.add(
          bundle
              .leaf(purpose)
              .map(leaf ->
                  row(
                      purpose.words(),
                      leaf.certificate(),
                      seconds(Certificates.renewalDue(leaf.certificate()))))
              .orElse(purpose.words() + ": none yet, a running Muster issues it"));
    }
    lines.add("");
    lines.add("change of CA: " + change(bundle));
    lines.add("webhook registration: " + registration(bundle.trusted()));
    lines.addAll(schedulers(bundle));
    return lines;
  }

  /** Of certificates from elsewhere. */
  List<String> of(Credentials given) {
    var lines = new ArrayList<String>();
    lines.add(header());
    given.authorities().forEach(ca -> lines.add(row("CA", ca, "elsewhere")));
    given.clientAuthorities().stream()
        .filter(ca -> !given.authorities().contains(ca))
        .forEach(ca -> lines.add(row("CA of clients", ca, "elsewhere")));
    lines.add(row("server", given.server().certificate(), "elsewhere"));
    given.schedulerClient().stream()
        .findFirst()
        .ifPresent(client -> lines.add(row(Purpose.SCHEDULER_CLIENT.words(), client, "elsewhere")));
    lines.add("");
    lines.add("webhook registration: " + registration(given.authorities()));
    lines.add(
        "kube-schedulers: what they trust is unknown here; each reads its CA once, at its start");
    return lines;
  }

  private static String header() {
    return ROW.formatted("PURPOSE", "SUBJECT", "NOT AFTER", "DAYS LEFT", "RENEWAL DUE", "ISSUER");
  }

  private String row(String purpose, X509Certificate certificate, String due) {
    var end = certificate.getNotAfter().toInstant();
    return ROW.formatted(
        purpose,
        certificate.getSubjectX500Principal().getName(),
        seconds(end),
        Duration.between(now, end).toDays(),
        due,
        issuer(certificate));
  }

  private static String issuer(X509Certificate certificate) {
    var issuer = certificate.getIssuerX500Principal();
    if (issuer.equals(certificate.getSubjectX500Principal())) {
      return "itself";
    }
    return named(issuer);
  }

  private static String named(X500Principal authority) {
    var generation = CertificateAuthority.generation(authority);
    return generation.isPresent() ? "generation " + generation.getAsInt() : authority.getName();
  }

  private static String named(List<X509Certificate> authorities) {
    return authorities.stream()
        .map(ca -> named(ca.getSubjectX500Principal()))
        .collect(Collectors.joining(", "));
  }

  private static String change(CertificateBundle bundle) {
    return switch (bundle.change()) {
      case AuthorityChange.None() -> "none under way";
      case AuthorityChange.Announced(var next) ->
          named(next.certificate().getSubjectX500Principal())
              + " is announced; a running Muster switches to it when all callers have been told";
      case AuthorityChange.Overlapping(var until) ->
          "switched to "
              + named(bundle.authority().certificate().getSubjectX500Principal())
              + "; the former CA stays trusted until "
              + seconds(until);
    };
  }

  private String registration(List<X509Certificate> wanted) {
    if (told.isEmpty()) {
      return "there is none: nobody asks the webhook";
    }
    var lacking = wanted.stream().filter(ca -> !told.get().contains(ca)).toList();
    return lacking.isEmpty()
        ? "trusts " + named(told.get())
        : "does not trust " + named(lacking) + " yet; a running Muster adds it";
  }

  private static List<String> schedulers(CertificateBundle bundle) {
    var former =
        bundle.bridges().stream()
            .map(bridge -> named(bridge.getIssuerX500Principal()))
            .collect(Collectors.joining(", "));
    return List.of(
        "kube-schedulers: what they trust is unknown here; each reads its CA once, at its start",
        former.isEmpty()
            ? "  no former CA vouches for this one: a scheduler has to know "
                + named(bundle.authority().certificate().getSubjectX500Principal())
            : "  those that know only "
                + former
                + " are served too: it vouches for its successor in the chain that is shown");
  }

  private static String seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
