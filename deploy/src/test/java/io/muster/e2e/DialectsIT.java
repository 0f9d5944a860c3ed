package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs in the words of other ecosystems, whose definitions come while Muster runs. */
@ExtendWith(SandboxExtension.class)
final class DialectsIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Path ROOT = Layout.current().deploy().getParent();

  @Test
  void aPodGroupGangStartsWholeAndItsDefinitionMayComeAfterIt(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var example = example(space, "examples/gang/pod-group.yaml");
    int pods = example.indexOf("---\n");
    space.client().load(stream(example.substring(pods))).create();
    awaitGang(
        space,
        "train Waiting 3 0 PodGroup \"train\" (scheduling.x-k8s.io) does not exist in namespace \""
            + space.namespace()
            + "\"; create it");
    assertThat(bound(space)).isZero();

    define(space, "podgroups.scheduling.x-k8s.io");
    apply(space, example.substring(0, pods));
    awaitGang(space, "train Waiting 3 3 0 no room for 3 members together");
    assertThat(bound(space)).isZero();
    space.nodes(1, NodeShape.GPU1);
    awaitGang(space, "train Running 3 3 3 3 of at least 3 members bound");
  }

  @Test
  void aVolcanoGangNeedsItsTasks(TestSpace space) {
    define(space, "podgroups.scheduling.volcano.sh");
    space.nodes(3, NodeShape.GPU1);
    apply(
        space,
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata:
          name: v
          namespace: %s
        spec:
          minMember: 3
          minTaskMember:
            master: 1
            worker: 2
        """
            .formatted(space.namespace()));
    for (int i = 0; i < 3; i++) {
      task(space, "worker", i);
    }
    awaitGang(space, "v Waiting 3 3 0 members of some roles are missing");
    assertThat(bound(space)).isZero();
    space.nodes(1, NodeShape.GPU1);
    task(space, "master", 0);
    awaitGang(space, "v Running 3 4 4 4 of at least 3 members bound");
  }

  @Test
  void aKueueGroupWaitsForItsGatesAndThenStartsWhole(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var group = GangManifest.of(space, "q", 2);
    for (int i = 0; i < 2; i++) {
      var pod = group.pod("q-" + i);
      pod.getMetadata().setLabels(Map.of("kueue.x-k8s.io/pod-group-name", "q"));
      pod.getMetadata().setAnnotations(Map.of("kueue.x-k8s.io/pod-group-total-count", "2"));
      pod.getSpec().setSchedulingGates(List.of(new PodSchedulingGate("kueue.x-k8s.io/admission")));
      group.create(pod);
    }
    awaitGang(space, "q Waiting 2 2 0 scheduling gates of others hold members back");
    admit(space, "q-0");
    assertThat(bound(space)).isZero();
    admit(space, "q-1");
    awaitGang(space, "q Running 2 2 2 2 of at least 2 members bound");
  }

  @Test
  void podsOfAnIndexedJobAreAGangWhereTheNamespaceSaysSo(TestSpace space) {
    space
        .client()
        .namespaces()
        .withName(space.namespace())
        .edit(stored -> {
          stored.getMetadata().getLabels().put("muster.io/infer-gangs", "true");
          return stored;
        });
    space.nodes(1, NodeShape.GPU1);
    job(space, "train", "Indexed");
    awaitGang(space, "job-train Waiting 2 2 0 no room for 2 members together");
    assertThat(bound(space)).isZero();
    space.nodes(1, NodeShape.GPU1);
    awaitGang(space, "job-train Running 2 2 2 2 of at least 2 members bound");
    job(space, "loose", "NonIndexed");
    space.nodes(1, NodeShape.GPU1);
    Await.until("one of them alone to start", SOON, () -> bound(space) == 3);
  }

  private static void job(TestSpace space, String name, String mode) {
    var plain =
        GangManifest.of(space, name, 2).without(GangManifest.NAME).without(GangManifest.MIN);
    var job = plain.job();
    job.getSpec().setCompletionMode(mode);
    space.client().batch().v1().jobs().inNamespace(space.namespace()).resource(job).create();
  }

  /** As Kueue does: its own gate, and no other. */
  private static void admit(TestSpace space, String pod) {
    space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withName(pod)
        .edit(stored -> {
          stored
              .getSpec()
              .getSchedulingGates()
              .removeIf(gate -> gate.getName().equals("kueue.x-k8s.io/admission"));
          return stored;
        });
  }

  private static void task(TestSpace space, String task, int index) {
    var gang = GangManifest.of(space, "v", 1);
    var pod = gang.pod("v-" + task + "-" + index);
    pod.getMetadata()
        .setAnnotations(Map.of("scheduling.k8s.io/group-name", "v", "volcano.sh/task-spec", task));
    gang.create(pod);
  }

  private static String example(TestSpace space, String file) {
    return read(ROOT.resolve(file))
        .replace("namespace: default", "namespace: " + space.namespace())
        .replaceAll("pool: .*", TestSpace.SET_LABEL + ": " + space.namespace());
  }

  private static void define(TestSpace space, String name) {
    apply(space, read(ROOT.resolve("deploy/src/test/resources/dialects/%s.yaml".formatted(name))));
    Await.until("its definition to be served", SOON, () -> isServed(space, name));
  }

  /** A definition that was just made has no conditions yet. */
  private static boolean isServed(TestSpace space, String name) {
    return Optional.ofNullable(
            space.client().apiextensions().v1().customResourceDefinitions().withName(name).get())
        .flatMap(definition -> Optional.ofNullable(definition.getStatus()))
        .flatMap(status -> Optional.ofNullable(status.getConditions()))
        .orElse(List.of())
        .stream()
        .anyMatch(it -> it.getType().equals("Established") && it.getStatus().equals("True"));
  }

  private static void apply(TestSpace space, String manifest) {
    space.client().load(stream(manifest)).serverSideApply();
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long bound(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .count();
  }

  private static void awaitGang(TestSpace space, String said) {
    Await.until(
        "the gang to say: " + said,
        SOON,
        () -> space.printed("gangs").stream().anyMatch(line -> line.startsWith(said)));
  }
}
