package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Purpose;
import io.muster.e2e.MusterCommand;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Leaves are renewed and the CA is rotated in an installation of the chart, with kube-scheduler's
 * files as a mount and as what the DaemonSet keeps on its node: nobody is restarted or refused.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class RenewalIT {

  private static final Duration SOON = Duration.ofSeconds(90);
  private static final String CHECK = "settings.certificateCheckSeconds=1";
  private static final String REFUSED = "muster_extender_refused_connections_total";

  /** What Go's callers and servers write when a certificate is the reason. */
  private static final Pattern TLS_ERROR =
      Pattern.compile("x509: |tls: |failed calling webhook|certificate signed by|bad certificate");

  @Test
  void withTheSecretMountedNobodyIsRefused() throws IOException, InterruptedException {
    try (var cluster = PlayedCluster.start("renewal-mounted", 2)) {
      Installation.in(cluster).install("mode=second", CHECK);
      var logs =
          cluster
              .client()
              .pods()
              .inNamespace(Installation.NAMESPACE)
              .withLabel("app.kubernetes.io/component", "scheduler")
              .list()
              .getItems()
              .stream()
              .map(pod -> cluster.log(pod.getMetadata().getName(), "kube-scheduler"))
              .toList();
      assertThat(logs).hasSize(2);
      // The kubelet brings a change to the mount within a second here.
      nobodyIsRefused(cluster, logs, () -> {});
    }
  }

  @Test
  void withTheFilesOfTheDaemonSetNobodyIsRefused() throws IOException, InterruptedException {
    try (var cluster = PlayedCluster.start("renewal-files", 2)) {
      var sandbox = cluster.sandbox();
      var host = sandbox.state().file("host").toAbsolutePath();
      sandbox.kubectl("label", "node", "played-0", "node-role.kubernetes.io/control-plane=");
      Installation.in(cluster)
          .install("schedulerFiles.enabled=true", "schedulerFiles.hostFolder=" + host, CHECK);
      Runnable filesAreThere = () -> awaitFiles(cluster, host);
      filesAreThere.run();
      new ClusterScheduler(cluster).askMuster(host);

      nobodyIsRefused(cluster, List.of(sandbox.state().log("kube-scheduler")), filesAreThere);
    }
  }

  /** Of the Secret, of one version, and for root alone. */
  private static void awaitFiles(PlayedCluster cluster, Path host) {
    Await.until("the files of the Secret", SOON, () -> files(host).equals(secret(cluster)));
    for (var name : secret(cluster).keySet()) {
      try {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(host.resolve(name))))
            .as(name)
            .isEqualTo("rw-------");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static Map<String, String> files(Path host) {
    return Set.of("ca.crt", "tls.crt", "tls.key").stream()
        .collect(Collectors.toMap(name -> name, name -> text(host.resolve(name))));
  }

  private static String text(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> secret(PlayedCluster cluster) {
    return cluster
        .client()
        .secrets()
        .inNamespace(Installation.NAMESPACE)
        .withName("muster-scheduler-client")
        .get()
        .getData()
        .entrySet()
        .stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                entry ->
                    new String(
                        Base64.getDecoder().decode(entry.getValue()), StandardCharsets.US_ASCII)));
  }

  private static void nobodyIsRefused(
      PlayedCluster cluster, List<Path> schedulers, Runnable filesAreThere)
      throws IOException, InterruptedException {
    var pods = new MusterPods(cluster);
    var store = new SecretCertificateStore(cluster.client(), Installation.NAMESPACE);
    var muster = new MusterCommand(cluster.sandbox());
    var apiserver = cluster.sandbox().state().log("kube-apiserver");
    try (var space = cluster.open("renewal");
        var gangs = new GangsOneByOne(cluster, space)) {
      gangs.awaitMore();
      var lives = pods.lives();
      // What was before the first gang ran is not theirs.
      var marks =
          schedulers.stream().collect(Collectors.toMap(log -> log, log -> lines(log).size()));
      marks.put(apiserver, lines(apiserver).size());
      double refused = pods.counted(REFUSED);
      var first = stored(store);

      muster.said("certs", "rotate");
      awaitShown(pods, store);
      filesAreThere.run();
      gangs.awaitMore();
      assertThat(stored(store).leaf(Purpose.SERVER)).isNotEqualTo(first.leaf(Purpose.SERVER));

      muster.said("certs", "rotate", "--ca");
      Await.until(
          "the next CA to issue",
          SOON,
          () -> stored(store).change() instanceof AuthorityChange.Overlapping);
      awaitShown(pods, store);
      filesAreThere.run();
      gangs.awaitMore();

      muster.said("certs", "rotate", "--end-overlap");
      filesAreThere.run();
      gangs.awaitMore();

      assertThat(stored(store).trusted()).doesNotContainAnyElementsOf(first.trusted());
      assertThat(gangs.failures()).isEmpty();
      assertThat(pods.counted(REFUSED)).isEqualTo(refused);
      assertThat(pods.lives()).isEqualTo(lives);
      for (var mark : marks.entrySet()) {
        var since = lines(mark.getKey());
        assertThat(since.subList(mark.getValue(), since.size()))
            .as(mark.getKey().toString())
            .noneMatch(line -> TLS_ERROR.matcher(line).find());
      }
      System.out.println("gangs that ran meanwhile: " + gangs.ran());
    }
  }

  private static void awaitShown(MusterPods pods, SecretCertificateStore store) {
    Await.until(
        "both pods to show the stored leaf",
        SOON,
        () ->
            stored(store)
                .leaf(Purpose.SERVER)
                .map(leaf -> Set.of(leaf.certificate()))
                .filter(pods.shown()::equals)
                .isPresent());
  }

  private static CertificateBundle stored(SecretCertificateStore store) {
    return store.load().orElseThrow();
  }

  private static List<String> lines(Path log) {
    try {
      return Files.readAllLines(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
