package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.docs.WalkPage;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The pages for newcomers do what they say, from their first block to their last. */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class NewcomersWalkIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final List<String> CONTROL_PLANE = List.of("cp-1", "cp-2", "cp-3");
  private static final Path ON_HOSTS = Path.of("/etc/kubernetes/muster");
  private static final List<String> FILES =
      List.of("ca.crt", "scheduler-config.yaml", "tls.crt", "tls.key");

  @Test
  void onKubeadm() throws IOException {
    var page = page("install-kubeadm.md");
    try (var cluster =
        PlayedCluster.start(
            "walk-kubeadm", CONTROL_PLANE.stream().map(PlayedNode::ofControlPlane).toList())) {
      var kubeadm = new PlayedKubeadm(cluster, CONTROL_PLANE);
      kubeadm.init();
      cluster.sandbox().nodes().add(NodeRequest.of("gpu", 1, NodeShape.GPU4));
      var installation = Installation.in(cluster);
      var before = installation.objects();

      new Walk(cluster)
          .follow(
              page,
              Map.of(
                  "schedulers-one-by-one",
                  folder -> {
                    var configuration = Files.readString(folder.resolve("kubeadm.yaml"));
                    kubeadm.copy(folder.resolve("scheduler-config.yaml"), ON_HOSTS);
                    kubeadm.schedulersOneByOne(configuration);
                    aPodWithADeviceRuns(cluster);
                  },
                  "files-removed",
                  _ -> {
                    for (var node : CONTROL_PLANE) {
                      keepsFilesForRootAlone(cluster.host(node, ON_HOSTS));
                    }
                  }));

      nothingIsLeft(installation, before);
      aPodWithADeviceRuns(cluster);
    }
  }

  @Test
  void onAManagedCluster() throws IOException {
    var page = page("install-managed.md");
    var pool =
        Stream.of("system-1", "system-2", "system-3")
            .map(name ->
                new PlayedNode(name, Map.of("kubernetes.azure.com/mode", "system"), List.of()))
            .toList();
    try (var cluster = PlayedCluster.start("walk-managed", pool)) {
      cluster.sandbox().nodes().add(NodeRequest.of("gpu", 1, NodeShape.GPU4));
      var installation = Installation.in(cluster);
      var before = installation.objects();

      new Walk(cluster).follow(page, Map.of());

      nothingIsLeft(installation, before);
      aPodWithADeviceRuns(cluster);
    }
  }

  private static WalkPage page(String name) throws IOException {
    return WalkPage.read(Layout.current().deploy().resolve("docs").resolve(name));
  }

  private static void keepsFilesForRootAlone(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()).filter(f -> !f.startsWith(".")))
          .containsExactlyInAnyOrderElementsOf(FILES);
    }
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("tls.key"))))
        .isEqualTo("rw-------");
  }

  private static void aPodWithADeviceRuns(PlayedCluster cluster) {
    try (var space = cluster.open("single")) {
      var pod =
          GangManifest.of(space, "single", 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(1);
      space.nodes(1, NodeShape.GPU1);
      pod.create();
      Await.until(
          "a pod with a device to run",
          SOON,
          () ->
              "Running"
                  .equals(
                      space
                          .client()
                          .pods()
                          .inNamespace(space.namespace())
                          .withName("single-0")
                          .get()
                          .getStatus()
                          .getPhase()));
    }
  }

  /** But for the definitions, which stay with what they define, and the empty namespace. */
  private static void nothingIsLeft(Installation installation, Set<String> before) {
    Await.within(SOON, () -> installation.leftSince(before).isEmpty());
    assertThat(installation.leftSince(before)).isEmpty();
  }
}
