package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.extender.core.cluster.NodePin;
import io.muster.faults.Capacity;
import io.muster.faults.KillSpot;
import io.muster.faults.ProxiedMuster;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs under a kube-scheduler without any extender, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class AffinityIT {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Duration REPAIRED = Duration.ofSeconds(35);

  private static ProxiedMuster muster;
  private static GangWatch watch;

  @BeforeAll
  static void leaveKubeSchedulerAlone(Sandbox sandbox) {
    muster = ProxiedMuster.in(sandbox, CLOCK, Map.of("placementMode", "affinity"));
    sandbox.scheduler().start(Optional.empty());
    watch = new GangWatch(sandbox.client(), CLOCK);
  }

  @AfterAll
  static void asBefore() {
    watch.close();
    muster.close();
  }

  private static List<String> planned(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getAnnotations().get("muster.io/pinned"))
        .flatMap(NodePin::parse)
        .map(NodePin::nodes)
        .orElse(List.of());
  }

  private static boolean isGated(Pod pod) {
    return pod.getSpec().getSchedulingGates().stream()
        .anyMatch(gate -> gate.getName().equals("muster.io/gang"));
  }

  @Test
  void aGangThatFitsRunsWholeOnThePlannedNodes(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4).min(5);
    gang.create(gang.gpus(0).pod("launcher"));
    gang.pods().forEach(gang::create);

    Await.until("the gang to run", SOON, () -> gang.running() == 5);
    assertThat(gang.stored())
        .allSatisfy(pod -> assertThat(planned(pod)).containsExactly(pod.getSpec().getNodeName()));
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  @Test
  void aReleasedMemberIsToldItsSegmentAndItsRack(TestSpace space) {
    TopologyIT.racks(space, 2, "r1", "r2");
    var gang =
        GangManifest.of(space, "train", 4)
            .annotated("muster.io/gang-segments", "example.com/rack=2");
    gang.create();

    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    for (var pod : gang.stored()) {
      int ordinal = pod.getMetadata().getName().charAt("train-".length()) - '0';
      assertThat(pod.getMetadata().getAnnotations())
          .containsEntry("muster.io/segment", Integer.toString(ordinal / 2))
          .containsEntry("muster.io/domain", TopologyIT.domain(space, pod, "example.com/rack"));
    }
  }

  @Test
  void aGangThatDoesNotFitWaitsWithNobodyBound(TestSpace space) {
    space.nodes(3, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4);
    gang.create();
    var single =
        GangManifest.of(space, "single", 1).without(GangManifest.NAME).without(GangManifest.MIN);
    single.create();
    Await.until(
        "the pod without a gang to run",
        SOON,
        () -> Capacity.exceeded(space).isEmpty() && isRunning(space, "single-0"));
    assertThat(gang.stored()).hasSize(4).allMatch(AffinityIT::isGated);
    assertThat(watch.everBound(gang.gang())).isEmpty();

    space.nodes(2, NodeShape.GPU1);
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  @Test
  void membersKeepTheirOwnTermsBesideTheirPlace(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    space.nodes(2, NodeShape.GPU1, Map.of("disk", "fast"), List.of());
    var gang = GangManifest.of(space, "train", 2);
    gang.pods().stream().map(AffinityIT::onFastDisks).forEach(gang::create);

    Await.until("the gang to run", SOON, () -> gang.running() == 2);
    for (var pod : gang.stored()) {
      var terms =
          pod.getSpec()
              .getAffinity()
              .getNodeAffinity()
              .getRequiredDuringSchedulingIgnoredDuringExecution()
              .getNodeSelectorTerms();
      assertThat(terms).hasSize(2);
      assertThat(terms.getFirst().getMatchExpressions().getFirst().getValues())
          .containsExactly("quick", "fast", "any");
      assertThat(terms)
          .allSatisfy(term ->
              assertThat(term.getMatchFields().getFirst().getValues())
                  .containsExactly(pod.getSpec().getNodeName()));
    }
  }

  @Test
  void aGangWhoseReleaseAKillCutOffEndsWhole(TestSpace space) throws Exception {
    space.nodes(4, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4);
    var point = KillSpot.P3.point(space.namespace(), new SplittableRandom(1));
    var killed = muster.toApiServer().arm(point, () -> muster.process().kill());
    gang.create();
    killed.get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThat(gang.stored()).hasSize(4).allMatch(AffinityIT::isGated);

    muster.process().start();
    var back = CLOCK.instant();
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    assertThat(watch.longestInPart(gang.gang(), 4, Instant.MIN)).isLessThan(REPAIRED);
    assertThat(Duration.between(back, CLOCK.instant())).isLessThan(REPAIRED);
  }

  @Test
  void membersBeyondTheMinimumGoWhereThereIsRoom(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 3).min(2);
    gang.create();
    Await.until("the minimum to run", SOON, () -> gang.running() == 2);
    space.nodes(1, NodeShape.GPU1);
    Await.until("the rest to run", SOON, () -> gang.running() == 3);
  }

  private static Pod onFastDisks(Pod pod) {
    var fast = new NodeSelectorRequirement("disk", "In", List.of("quick", "fast", "any"));
    var local = new NodeSelectorRequirement("local-disk", "Exists", List.of());
    pod.getSpec()
        .setAffinity(
            new AffinityBuilder()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addNewNodeSelectorTerm()
                .withMatchExpressions(fast)
                .endNodeSelectorTerm()
                .addNewNodeSelectorTerm()
                .withMatchExpressions(local)
                .endNodeSelectorTerm()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .build());
    return pod;
  }

  private static boolean isRunning(TestSpace space, String name) {
    var pod = space.client().pods().inNamespace(space.namespace()).withName(name).get();
    return "Running".equals(pod.getStatus().getPhase());
  }
}
