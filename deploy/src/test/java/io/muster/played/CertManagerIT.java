package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.certs.x509.Pem;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The chart with certificates of cert-manager, which is played: as {@link InstallIT} with its own.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class CertManagerIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String DEFINITION = "src/test/resources/chart/cert-manager.yaml";

  @Test
  void gangsRunWithItsCertificatesAndRenewedOnesAreTakenOverWithoutARestart()
      throws IOException, InterruptedException {
    try (var cluster = PlayedCluster.start("cert-manager", 2)) {
      var file = cluster.sandbox().layout().deploy().resolve(DEFINITION).toString();
      cluster.sandbox().kubectl("apply", "-f", file);
      cluster.sandbox().kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", file);
      try (var certManager = new PlayedCertManager(cluster.client(), "platform")) {
        installedRenewedAndTakenAway(cluster, certManager);
      }
    }
  }

  private static void installedRenewedAndTakenAway(
      PlayedCluster cluster, PlayedCertManager certManager)
      throws IOException, InterruptedException {
    var installation = Installation.in(cluster);
    var before = installation.objects();
    var pods = new MusterPods(cluster);
    var scheduler = new ClusterScheduler(cluster);

    installation.install(
        "certificates.source=cert-manager",
        "certificates.issuerRef.name=platform",
        "certificates.issuerRef.kind=ClusterIssuer",
        "settings.certificateCheckSeconds=1",
        "uninstallHook.force=true");
    scheduler.askMuster();
    try (var space = cluster.open("given")) {
      space.nodes(1, NodeShape.GPU4);
      aGangOfFourRuns(space, "issued");
      installation.test();
      var lives = pods.lives();

      certManager.renew();
      awaitShown(pods, certManager, space);
      cluster.cutCallers();
      scheduler.copyFiles();
      aGangOfFourRuns(space, "renewed");

      certManager.renewWithAnotherAuthority();
      awaitShown(pods, certManager, space);
      Await.until(
          "the API server to be told of the new authority alone",
          SOON,
          () -> registered(cluster).equals(Pem.ofCertificates(Set.of(certManager.authority()))));
      admitted(space);
      // It reads whom it trusts when it starts, and nobody has vouched for the new authority.
      scheduler.copyFiles();
      scheduler.restart();
      aGangOfFourRuns(space, "of-another");

      assertThat(pods.lives()).isEqualTo(lives);
      assertThat(secret(cluster, "muster-certificates")).isFalse();
    }
    var uninstalled = installation.uninstall();

    assertThat(uninstalled.exitCode()).as(uninstalled.output()).isZero();
    scheduler.askNobody();
    // As cert-manager leaves them, unless it is told otherwise.
    Await.within(SOON, () -> installation.leftSince(before).size() == 2);
    assertThat(installation.leftSince(before))
        .containsExactly(
            "Secret/muster-system/muster-scheduler-client", "Secret/muster-system/muster-tls");
  }

  /** Meanwhile the API server calls the webhook, and is never refused. */
  private static void awaitShown(MusterPods pods, PlayedCertManager certManager, TestSpace space) {
    Await.until(
        "both pods to show the new certificate",
        SOON,
        () -> {
          admitted(space);
          boolean isShown =
              certManager.issued("muster").map(Set::of).filter(pods.shown()::equals).isPresent();
          pods.cluster().cutCallers();
          return isShown;
        });
  }

  private static void admitted(TestSpace space) {
    Pod pod = GangManifest.of(space, "asked", 2).pod("asked-0");
    space.client().pods().inNamespace(space.namespace()).resource(pod).dryRun(true).create();
  }

  private static void aGangOfFourRuns(TestSpace space, String name) {
    var gang = GangManifest.of(space, name, 4);
    gang.create();
    Await.until("gang " + name + " to run", SOON, () -> gang.running() == 4);
    gang.delete();
  }

  private static boolean secret(PlayedCluster cluster, String name) {
    return cluster.client().secrets().inNamespace(Installation.NAMESPACE).withName(name).get()
        != null;
  }

  private static String registered(PlayedCluster cluster) {
    var bundle =
        cluster
            .client()
            .admissionRegistration()
            .v1()
            .mutatingWebhookConfigurations()
            .withName("muster")
            .get()
            .getWebhooks()
            .getFirst()
            .getClientConfig()
            .getCaBundle();
    return new String(Base64.getDecoder().decode(bundle), StandardCharsets.US_ASCII);
  }
}
