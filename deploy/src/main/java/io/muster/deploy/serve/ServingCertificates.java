package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.certs.CertificateSource;
import io.muster.certs.CertificateWitness;
import io.muster.certs.Certificates;
import io.muster.certs.OwnCertificates;
import io.muster.certs.Upkeep;
import io.muster.certs.kube.GivenSecrets;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.kube.SecretEvents;
import io.muster.certs.metrics.CertificateMeters;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.ServerNames;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.lease.Leadership;
import io.muster.deploy.serve.upkeep.LeaderEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of the running program: found or made at its start, looked after on a timer. The
 * webhook's registration always believes what is shown. Safe for concurrent use.
 */
public final class ServingCertificates {

  static final String WEBHOOK_SERVICE = "muster-webhook";

  private static final Logger LOG = LoggerFactory.getLogger(ServingCertificates.class);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int LOOKS_TO_SETTLE = 2;

  /** How long a check of another process takes at most. */
  private static final Duration WRITTEN_WITHIN = Duration.ofSeconds(5);

  private final Certificates certificates;
  private final CertificateMeters meters;

  private ServingCertificates(Certificates certificates, CertificateMeters meters) {
    this.certificates = certificates;
    this.meters = meters;
  }

  /**
   * What they need of the process.
   *
   * @param mayMakeAnew whether certificates that are missing may be made again; may block
   */
  record Surroundings(
      KubernetesClient client,
      MeterRegistry registry,
      InstantSource clock,
      ServeTimers timers,
      BooleanSupplier mayMakeAnew) {}

  /** Waits a while for an apiserver, or for a Secret from elsewhere, that is not there yet. */
  static ServingCertificates begin(Config config, Surroundings process) {
    var client = process.client();
    var clock = process.clock();
    var timers = process.timers();
    var source = source(config, client, clock);
    var period = config.seconds(Setting.CERTIFICATE_CHECK);
    if (source instanceof OwnCertificates) {
      letOthersWriteBack(config, client, timers, period);
    }
    var certificates =
        new Certificates(
            patiently(source, clock, timers), config.texts(Setting.SCHEDULER_CLIENT_NAMES), clock);
    var meters = new CertificateMeters(process.registry(), clock);
    var place =
        new SecretEvents.Place(
            config.text(Setting.NAMESPACE),
            config.optional(Setting.CERTIFICATE_SECRET).orElse(SecretCertificateStore.CERTIFICATES),
            config.text(Setting.EVENT_SOURCE));
    var upkeep =
        new Upkeep(
            source,
            certificates,
            new RegisteredTrust(client),
            new Both(meters, new SecretEvents(client, place, clock)),
            clock,
            period.multipliedBy(LOOKS_TO_SETTLE));
    Runnable check =
        () -> {
          if (process.mayMakeAnew().getAsBoolean()) {
            upkeep.check();
          }
        };
    // Before anybody is led here: the authority may be another than that of earlier processes.
    check.run();
    // Not on the timers' own thread: it asks the apiserver.
    timers.every(period, () -> Thread.startVirtualThread(check));
    return new ServingCertificates(certificates, meters);
  }

  Certificates certificates() {
    return certificates;
  }

  CertificateMeters meters() {
    return meters;
  }

  /** Certificates from elsewhere, as the settings name them; empty where Muster makes its own. */
  public static Optional<GivenSecrets> given(
      Config config, KubernetesClient client, InstantSource clock) {
    return config
        .optional(Setting.CERTIFICATE_SECRET)
        .map(secret ->
            new GivenSecrets(
                client,
                config.text(Setting.NAMESPACE),
                secret,
                config.optional(Setting.SCHEDULER_CLIENT_SECRET).orElse(secret),
                calledAs(config),
                clock));
  }

  /** What the API server and kube-scheduler verify the server by, as far as it is known here. */
  static Set<String> calledAs(Config config) {
    var names = new HashSet<String>();
    if (config.optional(Setting.WEBHOOK_URL).isEmpty()) {
      names.add(name(WEBHOOK_SERVICE, config));
    }
    // Without the endpoint others lead kube-scheduler to the leader, and by a name of theirs.
    if (config.rules().placement().isAsked() && config.isOn(Setting.LEADER_ENDPOINT)) {
      names.add(name(LeaderEndpoint.SERVICE, config));
    }
    return names;
  }

  private static String name(String service, Config config) {
    return "%s.%s.svc".formatted(service, config.text(Setting.NAMESPACE));
  }

  private static CertificateSource source(
      Config config, KubernetesClient client, InstantSource clock) {
    var namespace = config.text(Setting.NAMESPACE);
    return given(config, client, clock)
        .<CertificateSource>map(given -> given)
        .orElseGet(() ->
            new OwnCertificates(
                new SecretCertificateStore(client, namespace), serverNames(config), clock));
  }

  /** Services and addresses under which kube-scheduler and the apiserver call. */
  private static ServerNames serverNames(Config config) {
    var namespace = config.text(Setting.NAMESPACE);
    var further = config.list(Setting.SERVER_NAMES);
    var names =
        ServerNames.ofService(LeaderEndpoint.SERVICE, namespace)
            .and(ServerNames.ofService(WEBHOOK_SERVICE, namespace))
            .and(ServerNames.of("localhost", "127.0.0.1"));
    return further.isEmpty() ? names : names.and(ServerNames.of(further));
  }

  /**
   * Waits while certificates are missing that another process works with, and writes back at its
   * next check: a CA that is made here meanwhile would be foreign to it, and to kube-scheduler.
   */
  private static void letOthersWriteBack(
      Config config, KubernetesClient client, ServeTimers timers, Duration period) {
    var namespace = config.text(Setting.NAMESPACE);
    var store = new SecretCertificateStore(client, namespace);
    var lease = client.leases().inNamespace(namespace).withName(Leadership.NAME);
    long looks = Math.min(period.plus(WRITTEN_WITHIN).toSeconds(), PATIENCE.toSeconds());
    try {
      for (long look = 0;
          look < looks
              && store.load().isEmpty()
              && Optional.ofNullable(lease.get()).filter(Leadership::isHeld).isPresent();
          look++) {
        timers.pause(PAUSE);
      }
    } catch (CertificateIssueException
        | InvalidCertificateException
        | KubernetesClientException e) {
      // What is wrong is told where they are loaded.
      LOG.atDebug().addKeyValue("message", e.getMessage()).log("no certificates yet");
    }
  }

  private static Credentials patiently(
      CertificateSource source, InstantSource clock, ServeTimers timers) {
    Instant deadline = clock.instant().plus(PATIENCE);
    while (true) {
      try {
        return source.refresh(_ -> false);
      } catch (CertificateIssueException | InvalidCertificateException e) {
        if (!mayPass(source, e) || clock.instant().isAfter(deadline)) {
          throw e;
        }
        LOG.atWarn().addKeyValue("message", e.getMessage()).log("no certificates yet; tried again");
        timers.pause(PAUSE);
      }
    }
  }

  /** Whether it may be better in a moment: no answer, or a Secret that is still to be made. */
  private static boolean mayPass(CertificateSource source, RuntimeException failure) {
    return switch (failure) {
      case InvalidCertificateException invalid ->
          source instanceof GivenSecrets && invalid.fault() == CertificateFault.MISSING;
      case CertificateIssueException issue ->
          issue.getCause() instanceof KubernetesClientException refused && refused.getCode() == 0;
      default -> false;
    };
  }

  /** Metrics and events. */
  private record Both(CertificateWitness first, CertificateWitness second)
      implements CertificateWitness {

    @Override
    public void adopted(Credentials credentials) {
      first.adopted(credentials);
      second.adopted(credentials);
    }

    @Override
    public void refused(CertificateFault fault, String sentence) {
      first.refused(fault, sentence);
      second.refused(fault, sentence);
    }
  }
}
