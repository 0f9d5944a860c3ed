package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pods of the cluster's own gang scheduling, where the API server takes their field. */
@Tag("long")
final class NativeGangIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static Optional<Sandbox> sandbox = Optional.empty();

  @BeforeAll
  static void start() {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/native"));
    sandbox =
        Optional.of(
            Sandbox.start(
                layout,
                SandboxOptions.withMuster(state)
                    .extraFlags(
                        Program.APISERVER,
                        "--feature-gates=GenericWorkload=true",
                        "--runtime-config=%s=true".formatted(NativeCluster.API_VERSION))));
  }

  @AfterAll
  static void stop() {
    sandbox.ifPresent(Sandbox::close);
  }

  @Test
  void aPodOfANativeGangIsLeftAlone() {
    try (var space = TestSpace.open(sandbox.orElseThrow(), "native")) {
      space.nodes(1, NodeShape.GPU1);
      var plain =
          GangManifest.of(space, "plain", 1).without(GangManifest.NAME).without(GangManifest.MIN);
      plain.create(grouped(plain.pod("plain")));

      var stored = space.client().pods().inNamespace(space.namespace()).withName("plain");
      assertThat(stored.get().getSpec().getSchedulingGroup()).isNotNull();
      assertThat(stored.get().getSpec().getSchedulingGates()).isEmpty();
      Await.until("it to run", SOON, () -> "Running".equals(stored.get().getStatus().getPhase()));
    }
  }

  /** Of policy gang it is told of; of policy basic it is none. */
  @Test
  void itsGangIsToldOfAsItsPodGroupHasIt() {
    try (var space = TestSpace.open(sandbox.orElseThrow(), "told")) {
      var plain =
          GangManifest.of(space, "told", 1).without(GangManifest.NAME).without(GangManifest.MIN);
      group(space, "native", "{gang: {minCount: 2}}");
      group(space, "other", "{basic: {}}");
      plain.create(grouped(plain.pod("told")));
      var loose = plain.pod("loose");
      loose.getSpec().setSchedulingGroup(new PodSchedulingGroup("other"));
      plain.create(loose);

      Await.until(
          "the gang to be told of",
          SOON,
          () ->
              space.printed("gangs").stream()
                  .anyMatch(line ->
                      line.startsWith(
                          "native Waiting 2 1 0 the cluster's own gang scheduling is to start it,"
                              + " Muster only observes: 1 of 2 members exist")));
      assertThat(space.printed("gangs")).noneMatch(line -> line.startsWith("other"));
    }
  }

  private static void group(TestSpace space, String name, String policy) {
    var manifest =
        "apiVersion: %s\nkind: PodGroup\n".formatted(NativeCluster.API_VERSION)
            + "metadata: {name: %s, namespace: %s}\nspec: {schedulingPolicy: %s}\n"
                .formatted(name, space.namespace(), policy);
    space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
        .create();
  }

  @Test
  void soIsOneThatCarriesMarkingsToo() {
    try (var space = TestSpace.open(sandbox.orElseThrow(), "both")) {
      space.nodes(1, NodeShape.GPU1);
      var marked = GangManifest.of(space, "both", 1).min(2);
      marked.create(grouped(marked.pod("both")));

      var stored = space.client().pods().inNamespace(space.namespace()).withName("both");
      Await.until("it to run", SOON, () -> "Running".equals(stored.get().getStatus().getPhase()));
    }
  }

  private static Pod grouped(Pod pod) {
    var group = new PodSchedulingGroup();
    group.setPodGroupName("native");
    pod.getSpec().setSchedulingGroup(group);
    return pod;
  }
}
