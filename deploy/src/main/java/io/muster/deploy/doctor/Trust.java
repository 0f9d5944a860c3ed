package io.muster.deploy.doctor;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.certs.Certificates;
import io.muster.certs.kube.GivenSecrets;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.x509.Purpose;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.RegisteredTrust;
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
    var given = settings.optional(Setting.CERTIFICATE_SECRET);
    if (given.isPresent()) {
      var clients = settings.optional(Setting.SCHEDULER_CLIENT_SECRET).orElse(given.get());
      var held =
          new GivenSecrets(client, namespace, given.get(), clients, clock).refresh(_ -> true);
      var all = new ArrayList<>(held.authorities());
      all.add(held.server().certificate());
      held.schedulerClient().ifPresent(all::add);
      return List.of(
          lasting(all, List.of(), "renew them where they come from"),
          registered(held.authorities()));
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

  private Finding lasting(List<X509Certificate> all, List<X509Certificate> renewed, String remedy) {
    var now = clock.instant();
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

  private static Instant end(X509Certificate certificate) {
    return certificate.getNotAfter().toInstant();
  }

  private static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }
}
