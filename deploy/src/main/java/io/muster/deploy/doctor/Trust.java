package io.muster.deploy.doctor;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.certs.Certificates;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.RefusedClientException;
import io.muster.certs.x509.TrustedClients;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.RegisteredTrust;
import io.muster.deploy.serve.ServingCertificates;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The certificates: whether they last, and whether the registration trusts who issued them. */
record Trust(KubernetesClient client, Config settings, InstantSource clock) {

  private static final String CHECK = "certificates";
  private static final Duration SOON = Duration.ofDays(7);

  /** Muster renews within minutes of the time that is due. */
  private static final Duration LATE = Duration.ofHours(1);

  List<Finding> findings() {
    var namespace = settings.text(Setting.NAMESPACE);
    var given = ServingCertificates.given(settings, client, clock);
    if (given.isPresent()) {
      var held = given.get().refresh(_ -> true);
      var all = new ArrayList<>(held.authorities());
      all.add(held.server().certificate());
      held.schedulerClient().stream().findFirst().ifPresent(all::add);
      var findings = new ArrayList<Finding>();
      findings.add(lasting(all, List.of(), "renew them where they come from"));
      findings.add(registered(held.authorities()));
      refusedClient(held).ifPresent(findings::add);
      return findings;
    }
    var store = new SecretCertificateStore(client, namespace);
    var bundle = store.load();
    if (bundle.isEmpty()) {
      return List.of(
          Finding.problem(
              CHECK,
              store.place() + " does not exist: Muster has never started here",
              "start Muster, or say with -n in which namespace it is"));
    }
    var leaves = new ArrayList<X509Certificate>();
    for (var purpose : Purpose.values()) {
      bundle.get().leaf(purpose).ifPresent(leaf -> leaves.add(leaf.certificate()));
    }
    var all = new ArrayList<>(List.of(bundle.get().authority().certificate()));
    all.addAll(leaves);
    return List.of(
        lasting(all, leaves, "a running Muster renews them: start it, or see muster certs rotate"),
        registered(bundle.get().trusted()));
  }

  /** What kube-scheduler shows, as Muster's own port would judge it. */
  private Optional<Finding> refusedClient(Credentials held) {
    if (held.schedulerClient().isEmpty()) {
      return Optional.empty();
    }
    var names = settings.texts(Setting.SCHEDULER_CLIENT_NAMES);
    try {
      new TrustedClients(held.clientAuthorities(), names, clock).check(held.schedulerClient());
      return Optional.empty();
    } catch (RefusedClientException e) {
      return Optional.of(
          Finding.problem(
              CHECK + ".client",
              "Muster refuses what kube-scheduler shows: " + e.getMessage(),
              "issue it for clients, by an authority in ca.crt beside it, with a common name that"
                  + " schedulerClientNames has"));
    }
  }

  private Finding lasting(List<X509Certificate> all, List<X509Certificate> renewed, String remedy) {
    var now = clock.instant();
    var early = all.stream().filter(one -> begin(one).isAfter(now)).findFirst();
    if (early.isPresent()) {
      return Finding.problem(
          CHECK,
          "%s is valid only from %s: nobody accepts it before"
              .formatted(name(early.get()), begin(early.get())),
          "mend the clock of the machine that made it, or this one's; see certificates.md");
    }
    var ending = all.stream().filter(one -> end(one).isBefore(now.plus(SOON))).findFirst();
    if (ending.isPresent()) {
      return Finding.problem(
          CHECK, "%s ends at %s".formatted(name(ending.get()), end(ending.get())), remedy);
    }
    var late =
        renewed.stream()
            .filter(one -> Certificates.renewalDue(one).plus(LATE).isBefore(now))
            .findFirst();
    if (late.isPresent()) {
      return Finding.problem(
          CHECK,
          "%s should have been renewed at %s"
              .formatted(name(late.get()), Certificates.renewalDue(late.get())),
          remedy);
    }
    var first = all.stream().map(Trust::end).min(Instant::compareTo).orElseThrow();
    return Finding.ok(CHECK, "none of %d ends before %s".formatted(all.size(), first.toString()));
  }

  private Finding registered(List<X509Certificate> wanted) {
    var check = CHECK + ".registration";
    Optional<List<X509Certificate>> told = new RegisteredTrust(client).told();
    if (told.isEmpty()) {
      return Finding.cannotTell(check, "there is no registration to compare", "see registration");
    }
    return told.get().containsAll(wanted)
        ? Finding.ok(check, "caBundle holds the CA of the Secret")
        : Finding.problem(
            check,
            "caBundle does not hold the CA of the Secret: the apiserver refuses Muster's answers",
            "a running Muster writes it; if one runs, its log says why it cannot");
  }

  private static Instant begin(X509Certificate certificate) {
    return certificate.getNotBefore().toInstant();
  }

  private static Instant end(X509Certificate certificate) {
    return certificate.getNotAfter().toInstant();
  }

  private static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }
}
