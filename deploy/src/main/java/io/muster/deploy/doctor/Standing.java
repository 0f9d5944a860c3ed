package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Whether a Muster leads, and whether its clock, ours and the apiserver's agree. */
record Standing(KubernetesClient client, Config settings, InstantSource clock) {

  private static final String LEASE = "muster";
  private static final Duration SKEW = Duration.ofSeconds(5);

  /** In seconds; Muster takes no lease for longer. */
  private static final int LONGEST = 86_400;

  private static final long ANSWER_SECONDS = 10;

  List<Finding> clocks() {
    return List.of(clock(serverTime()));
  }

  List<Finding> leader() {
    var findings = new ArrayList<Finding>();
    lease(serverTime().orElseGet(clock::instant), findings);
    return findings;
  }

  /** The pod of the process that leads; empty if none does, or it is no pod. */
  Optional<Pod> leaderPod() {
    return holder(lease()).flatMap(this::pod);
  }

  private Finding clock(Optional<Instant> server) {
    if (server.isEmpty()) {
      return Finding.cannotTell(
          "clock", "the apiserver says no time", "compare the clocks by hand");
    }
    var skew = Duration.between(server.get(), clock.instant());
    return skew.abs().compareTo(SKEW) > 0
        ? Finding.problem(
            "clock",
            "the clock here is %ds %s the apiserver's"
                .formatted(skew.abs().toSeconds(), skew.isNegative() ? "behind" : "ahead of"),
            "have both keep time (NTP): certificates and leases go by it")
        : Finding.ok("clock", "agrees with the apiserver's within %ds".formatted(SKEW.toSeconds()));
  }

  /** As its answers are dated. */
  private Optional<Instant> serverTime() {
    var http = client.getHttpClient();
    var request =
        http.newHttpRequestBuilder().uri(client.getMasterUrl().toString() + "version").build();
    try {
      var answer = http.sendAsync(request, byte[].class).get(ANSWER_SECONDS, TimeUnit.SECONDS);
      return Optional.ofNullable(answer.header("Date")).flatMap(Standing::dated);
    } catch (ExecutionException | TimeoutException e) {
      throw new KubernetesClientException("its version cannot be asked for: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<Instant> dated(String header) {
    try {
      return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header)));
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }

  private void lease(Instant now, List<Finding> findings) {
    var namespace = settings.text(Setting.NAMESPACE);
    var lease = lease();
    var holder = holder(lease);
    if (holder.isEmpty()) {
      findings.add(
          Finding.problem(
              "lease",
              "no Muster leads: nobody holds Lease %s/%s".formatted(namespace, LEASE),
              "start Muster; pods of gangs are refused, and waiting ones stay, until one runs"));
      return;
    }
    var renewed = lease.map(LeaseSpec::getRenewTime).map(ZonedDateTime::toInstant);
    var lasts = lease.map(LeaseSpec::getLeaseDurationSeconds);
    if (renewed.isEmpty() || lasts.isEmpty()) {
      findings.add(
          Finding.problem(
              "lease",
              "Lease %s/%s names %s and says no %s: nobody renews it"
                  .formatted(
                      namespace,
                      LEASE,
                      holder.get(),
                      renewed.isEmpty() ? "renewTime" : "leaseDurationSeconds"),
              "start Muster, or see why it cannot reach the apiserver"));
      return;
    }
    var age = Duration.between(renewed.get(), now);
    int seconds = lasts.get();
    if (age.toSeconds() > seconds) {
      findings.add(
          Finding.problem(
              "lease",
              "%s leads no more: it renewed the Lease last %ds ago, and that lasts %ds"
                  .formatted(holder.get(), age.toSeconds(), seconds),
              "start Muster, or see why it cannot reach the apiserver"));
      return;
    }
    var own = settings.seconds(Setting.LEASE_DURATION);
    if (age.compareTo(own.plus(SKEW)) > 0) {
      findings.add(
          Finding.problem(
              "lease",
              "%s has not renewed the Lease for %ds, and that lasts %ds: nobody else leads before"
                      .formatted(holder.get(), age.toSeconds(), Math.min(seconds, LONGEST))
                  + " it is over",
              "see why it does not; if it runs no more: kubectl delete lease %s -n %s"
                  .formatted(LEASE, namespace)));
      return;
    }
    if (age.plus(SKEW).isNegative()) {
      findings.add(
          Finding.problem(
              "lease.clock",
              "the clock of %s is %ds ahead of the apiserver's"
                  .formatted(holder.get(), age.abs().toSeconds()),
              "have its node keep time (NTP)"));
    }
    findings.add(
        Finding.ok(
            "lease",
            "%s leads and renewed the Lease %ds ago"
                .formatted(holder.get(), Math.max(0, age.toSeconds()))));
    findings.add(holder(namespace, holder.get()));
  }

  private Finding holder(String namespace, String holder) {
    var pod = pod(holder);
    if (pod.isEmpty()) {
      return Finding.cannotTell(
          "lease.holder",
          "%s is no pod of %s: it runs elsewhere".formatted(holder, namespace),
          "nothing, if you started it there");
    }
    boolean isReady =
        pod.map(Pod::getStatus).stream()
            .flatMap(status -> status.getConditions().stream())
            .anyMatch(one -> "Ready".equals(one.getType()) && "True".equals(one.getStatus()));
    return isReady
        ? Finding.ok("lease.holder", "pod %s/%s is ready".formatted(namespace, holder))
        : Finding.problem(
            "lease.holder",
            "pod %s/%s leads and is not ready".formatted(namespace, holder),
            "kubectl logs -n %s %s".formatted(namespace, holder));
  }

  private Optional<LeaseSpec> lease() {
    return Optional.ofNullable(
            client.leases().inNamespace(settings.text(Setting.NAMESPACE)).withName(LEASE).get())
        .map(Lease::getSpec);
  }

  private static Optional<String> holder(Optional<LeaseSpec> lease) {
    return lease
        .flatMap(spec -> Optional.ofNullable(spec.getHolderIdentity()))
        .filter(name -> !name.isBlank());
  }

  private Optional<Pod> pod(String holder) {
    return Optional.ofNullable(
        client
            .pods()
            .inNamespace(settings.text(Setting.NAMESPACE))
            .withName(podName(holder))
            .get());
  }

  /** Any name may be an identity; one that no pod can have is asked for as none. */
  private static String podName(String holder) {
    return holder.matches("[a-z0-9]([-a-z0-9.]*[a-z0-9])?") ? holder : "no-pod";
  }
}
