package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The manifests that users find, where nodes offer their GPUs by DRA. */
@ExtendWith(SandboxExtension.class)
final class DraExamplesIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Path ROOT = Layout.current().deploy().getParent();
  private static final Path CLAIMS = ROOT.resolve("examples/gang/device-claims.yaml");

  /** The same file twice: on nodes with device plugins, and where every second one has DRA. */
  @ParameterizedTest
  @CsvSource({
    "first-gang, 4, 4",
    "group, 4, 4",
    "master, 1, 1",
    "restart, 2, 2",
    "roles, 4, 5",
    "single-gpu-pod, 1, 1",
    "torch-mnist-min2, 2, 2",
    "torch-mnist-min4, 4, 4",
    "two-gangs, 4, 8",
  })
  void placesItsPodsOnTheSameNodes(String example, int nodes, int pods, TestSpace half)
      throws IOException {
    var file = ROOT.resolve("examples/gang/%s.yaml".formatted(example));
    try (var devices = DraDevices.ofGpus(half);
        var plain = TestSpace.open(half.sandbox(), example)) {
      var namesWithPlugins = plain.nodes(nodes, NodeShape.GPU1);
      var namesOfHalf = half.nodes(nodes, NodeShape.GPU1);
      for (int i = 1; i < nodes; i += 2) {
        devices.insteadOf(namesOfHalf.get(i));
      }
      apply(plain, Files.readString(file));
      apply(half, Files.readString(file));

      // Members beyond the minimum that are alike take the nodes left in the order of their calls.
      assertThat(settled(half, pods, namesOfHalf))
          .isEqualTo(settled(plain, pods, namesWithPlugins));
    }
  }

  /**
   * PodGroups need a definition, see {@link DialectsIT}; ComputeDomains too, {@link
   * NvlinkDomainIT}.
   */
  @Test
  void noExampleIsLeftOut() throws IOException {
    var played = new ArrayList<>(List.of("device-claims", "nvlink-domain", "pod-group"));
    for (var method : DraExamplesIT.class.getDeclaredMethods()) {
      for (var table : method.getAnnotationsByType(CsvSource.class)) {
        Stream.of(table.value())
            .map(row -> row.substring(0, row.indexOf(',')))
            .forEach(played::add);
      }
    }
    try (var files = Files.list(ROOT.resolve("examples/gang"))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".yaml", "")))
          .containsExactlyInAnyOrderElementsOf(played);
    }
  }

  @Test
  void membersClaimOrAskAsTheExampleSays(TestSpace space) throws IOException {
    var names = space.nodes(2, NodeShape.CPU);
    var shared = ROOT.resolve("deploy/src/test/resources/dra");
    var first =
        Files.readString(shared.resolve("first-gpus.yaml")).replace("claims-0", names.get(0));
    var more = Files.readString(shared.resolve("more-gpus.yaml")).replace("claims-1", names.get(1));
    try {
      apply(space, first);
      apply(space, Files.readString(CLAIMS));
      Await.until(
          "the gang to say what is missing",
          SOON,
          () -> GangManifest.why(space, "device-claims").contains("hold 2 of the 4 members"));
      assertThat(placements(space, names)).isEmpty();
      apply(space, more);

      assertThat(settled(space, 4, names)).containsExactly(0, 0, 1, 1);
    } finally {
      objects(space, first + "---\n" + more).forEach(it -> space.client().resource(it).delete());
    }
  }

  /** Indexes among these of the nodes of all pods, once so many have one. */
  private static List<Integer> settled(TestSpace space, int pods, List<String> nodes) {
    Await.until(pods + " pods to be bound", SOON, () -> placements(space, nodes).size() == pods);
    return placements(space, nodes);
  }

  private static List<Integer> placements(TestSpace space, List<String> nodes) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .map(pod -> pod.getSpec().getNodeName())
        .filter(Objects::nonNull)
        .map(nodes::indexOf)
        .sorted()
        .toList();
  }

  private static void apply(TestSpace space, String manifest) {
    objects(space, manifest).forEach(it -> space.client().resource(it).serverSideApply());
  }

  /** In the namespace of the space, and for its nodes alone. */
  private static List<HasMetadata> objects(TestSpace space, String manifest) {
    var moved = manifest.replace("default/", space.namespace() + "/");
    var text = new ByteArrayInputStream(moved.getBytes(StandardCharsets.UTF_8));
    var objects = space.client().load(text).items();
    for (var object : objects) {
      switch (object) {
        case Pod pod -> pod.getSpec().setNodeSelector(space.nodeSelector());
        case Job job -> job.getSpec().getTemplate().getSpec().setNodeSelector(space.nodeSelector());
        default -> {}
      }
      if (object instanceof Namespaced) {
        object.getMetadata().setNamespace(space.namespace());
      }
    }
    return objects;
  }
}
