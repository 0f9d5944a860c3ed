package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.e2e.GangManifest;
import io.muster.extender.kube.gang.Gang;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How far a namespace lets Muster in. */
@ExtendWith(SandboxExtension.class)
final class EnrolmentIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path folder;

  @Test
  void inTheShadowPodsAreStoredAsTheyAreAndTheirGangSaysWhatWouldBe(
      Sandbox sandbox, TestSpace space) throws IOException {
    enrol(space, "shadow");
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "g", 4);
    var first = gang.pods().getFirst();
    var said = sandbox.kubectl("create", "-f", written(Serialization.asYaml(first)));
    gang.pods().stream().skip(1).forEach(gang::create);

    assertThat(said).contains("Warning: muster, in the shadow: would write metadata.annotations");
    var stored = space.client().pods().resource(first).get();
    assertThat(stored.getMetadata().getAnnotations())
        .isEqualTo(first.getMetadata().getAnnotations());
    assertThat(stored.getSpec().getSchedulingGates()).isEmpty();
    Await.until("two of four to run, as without Muster", SOON, () -> gang.running() == 2);
    Await.until(
        "the gang to say what would be",
        SOON,
        () ->
            message(space)
                .equals(
                    "shadow: 2 of at least 4 members were bound without the others; with Muster"
                        + " none would be"));
  }

  @Test
  void inTheShadowAPodThatWouldBeRefusedIsToldSoAndPasses(Sandbox sandbox, TestSpace space)
      throws IOException {
    enrol(space, "shadow");
    var pod = GangManifest.of(space, "g", 1).annotated(GangManifest.MIN, "four").pod("g-0");

    var said = sandbox.kubectl("create", "-f", written(Serialization.asYaml(pod)));

    assertThat(said)
        .contains("muster, in the shadow: this pod would be refused: gang")
        .contains("pod/g-0 created");
  }

  @Test
  void aGangThatWaitsIsLetGoWhenItsNamespaceStepsIntoTheShadow(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var gang = GangManifest.of(space, "g", 2);
    gang.create();
    Await.until("the gang to wait", SOON, () -> message(space).startsWith("no room for 2 members"));
    assertThat(gang.bound()).isZero();

    enrol(space, "shadow");

    Await.until("one to run, as without Muster", SOON, () -> gang.running() == 1);
    assertThat(gang.stored()).allMatch(pod -> pod.getSpec().getSchedulingGates().isEmpty());
  }

  @Test
  void whereTheShadowIsTheDefaultOnlyNamespacesThatSaySoHaveGangsStartedWhole(
      Sandbox sandbox, TestSpace space) {
    sandbox.muster().orElseThrow().kill();
    sandbox.startMuster(MusterOptions.DEFAULT.configured(Map.of("defaultEnrolment", "shadow")));
    try (var enrolled = TestSpace.open(sandbox, "enrolled")) {
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
      enrol(enrolled, "gang");
      space.nodes(2, NodeShape.GPU1);
      enrolled.nodes(2, NodeShape.GPU1);
      var gang = GangManifest.of(space, "g", 4);
      var whole = GangManifest.of(enrolled, "g", 4);
      gang.create();
      whole.create();

      Await.until("two of four to run, as without Muster", SOON, () -> gang.running() == 2);
      Await.until(
          "the gang to say so", SOON, () -> message(space).startsWith("shadow: 2 of at least 4"));
      Await.until(
          "the other to wait", SOON, () -> message(enrolled).startsWith("no room for 4 members"));
      assertThat(whole.bound()).isZero();
    } finally {
      sandbox.muster().orElseThrow().kill();
      sandbox.startMuster(MusterOptions.DEFAULT);
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
    }
  }

  @Test
  void aNamespaceThatOptsOutOfInjectionIsNotAsked(TestSpace space) {
    label(space, Map.of("muster.io/injection", "disabled"));
    var gang = GangManifest.of(space, "g", 1).annotated(GangManifest.MIN, "four");

    gang.create();

    assertThat(gang.stored().getFirst().getMetadata().getAnnotations())
        .doesNotContainKey("muster.io/injected");
  }

  static void enrol(TestSpace space, String how) {
    label(space, Map.of("muster.io/enrol", how));
  }

  private static void label(TestSpace space, Map<String, String> labels) {
    space
        .client()
        .namespaces()
        .withName(space.namespace())
        .edit(found ->
            new NamespaceBuilder(found).editMetadata().addToLabels(labels).endMetadata().build());
    // The apiserver reads labels of namespaces from a cache of its own.
    Await.within(Duration.ofSeconds(2), () -> false);
  }

  private String written(String yaml) throws IOException {
    return Files.writeString(folder.resolve("pod.yaml"), yaml).toString();
  }

  private static String message(TestSpace space) {
    var gang =
        space.client().resources(Gang.class).inNamespace(space.namespace()).withName("g").get();
    return gang == null || gang.getStatus() == null ? "" : gang.getStatus().message();
  }
}
