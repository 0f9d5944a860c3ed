package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.WeightedPodAffinityTermBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Members that get node affinity as they are released, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class PinnedGangsIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Duration PATIENCE = SOON.plusMinutes(2);

  @BeforeAll
  static void alwaysWithNodeAffinity(Sandbox sandbox) {
    restart(sandbox, MusterOptions.DEFAULT.configured(Map.of("nodeAffinityAtRelease", "always")));
  }

  @AfterAll
  static void asBefore(Sandbox sandbox) {
    restart(sandbox, MusterOptions.DEFAULT);
  }

  private static void restart(Sandbox sandbox, MusterOptions options) {
    sandbox.muster().ifPresent(MusterProcess::kill);
    sandbox.startMuster(options);
    sandbox.scheduler().start(Optional.of(sandbox.extender()));
  }

  private static GangManifest gang(TestSpace space, int members) {
    return GangManifest.of(space, "train", members).annotated("muster.io/pin", "allowed");
  }

  private static List<Pod> members(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems();
  }

  private static Optional<NodePin> pin(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getAnnotations().get("muster.io/pinned"))
        .flatMap(NodePin::parse);
  }

  @Test
  void membersAreReleasedToTheirPlannedNodesAndStartThere(TestSpace space) {
    space.nodes(6, NodeShape.GPU1);
    var gang = gang(space, 4);
    gang.create();

    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    var planned = new HashSet<String>();
    for (var pod : members(space)) {
      var pin = pin(pod).orElseThrow();
      assertThat(pin.nodes()).hasSizeBetween(2, 4);
      assertThat(pod.getSpec().getNodeName()).isEqualTo(pin.nodes().getFirst());
      planned.add(pin.nodes().getFirst());
    }
    assertThat(planned).hasSize(4);
  }

  @Test
  void aGangThatHadToWaitGetsNodeAffinityAsItsGatesAreRemoved(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = gang(space, 4);
    gang.create();
    assertThat(members(space)).hasSize(4).allMatch(pod -> pin(pod).isEmpty());

    space.nodes(2, NodeShape.GPU1);
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    assertThat(members(space)).allMatch(pod -> pin(pod).isPresent());
  }

  @Test
  void aMemberKeepsTheAffinityThatItHas(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var term =
        new WeightedPodAffinityTermBuilder()
            .withWeight(1)
            .withNewPodAffinityTerm()
            .withTopologyKey("kubernetes.io/hostname")
            .endPodAffinityTerm()
            .build();
    var gang = gang(space, 2);
    for (var pod : gang.pods()) {
      pod.getSpec()
          .setAffinity(
              new AffinityBuilder()
                  .withNewPodAntiAffinity()
                  .withPreferredDuringSchedulingIgnoredDuringExecution(term)
                  .endPodAntiAffinity()
                  .build());
      space.client().resource(pod).create();
    }

    Await.until("the gang to run", SOON, () -> gang.running() == 2);
    for (var pod : members(space)) {
      assertThat(pin(pod)).isPresent();
      var affinity = pod.getSpec().getAffinity();
      assertThat(affinity.getPodAntiAffinity().getPreferredDuringSchedulingIgnoredDuringExecution())
          .containsExactly(term);
      assertThat(affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution())
          .isNotNull();
    }
  }

  @Test
  void aDryRunChangesNoDecision(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    for (var pod : gang(space, 4).pods()) {
      space.client().resource(pod).dryRun(true).create();
    }
    var gang = GangManifest.of(space, "other", 4).annotated("muster.io/pin", "allowed");
    gang.create();
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    assertThat(members(space)).allMatch(pod -> pin(pod).isPresent());
  }

  @Test
  void membersOfAJobThatAreStuckOnTheirNodesAreMadeAnewAndTheJobCountsNoFailure(
      TestSpace space, Sandbox sandbox) {
    var first = space.nodes(4, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4);
    var job = gang.job();
    job.getSpec().setBackoffLimit(0);
    var jobs = space.client().batch().v1().jobs().inNamespace(space.namespace());
    sandbox.scheduler().kill();
    jobs.resource(job).create();
    Await.until(
        "all members to be released",
        SOON,
        () -> members(space).stream().filter(pod -> pin(pod).isPresent()).count() == 4);
    var stuck = members(space).stream().map(pod -> pod.getMetadata().getUid()).toList();

    first.forEach(node ->
        space
            .client()
            .nodes()
            .withName(node)
            .edit(found ->
                new NodeBuilder(found).editSpec().withUnschedulable(true).endSpec().build()));
    space.nodes(4, NodeShape.GPU1);
    sandbox.scheduler().start(Optional.of(sandbox.extender()));

    // Nodes may come back: for a minute the members wait for that.
    Await.until("the gang to run on other nodes", PATIENCE, () -> gang.running() == 4);
    assertThat(members(space)).noneMatch(pod -> stuck.contains(pod.getMetadata().getUid()));
    var status = jobs.withName("train").get().getStatus();
    assertThat(status.getFailed()).isIn(null, 0);
    assertThat(status.getActive()).isEqualTo(4);
  }
}
