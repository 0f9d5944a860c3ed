package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.muster.extender.core.cluster.Pin;
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

/** Members that are tied to their places before they are stored, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class PinnedGangsIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  @BeforeAll
  static void tieAlways(Sandbox sandbox) {
    restart(sandbox, MusterOptions.DEFAULT.configured(Map.of("pinAtBirth", "always")));
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

  private static Optional<Pin> pin(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getAnnotations().get("muster.io/pinned"))
        .flatMap(Pin::parse);
  }

  @Test
  void aGangIsBornWithItsPlacesAndStartsThere(TestSpace space) {
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
  void aGangThatWaitedIsTiedAsItsGatesAreTakenOff(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = gang(space, 4);
    gang.create();
    assertThat(members(space)).hasSize(4).allMatch(pod -> pin(pod).isEmpty());

    space.nodes(2, NodeShape.GPU1);
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    assertThat(members(space)).allMatch(pod -> pin(pod).isPresent());
  }

  @Test
  void aDryRunKeepsNoPlace(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var rehearsed = gang(space, 4);
    for (var pod : rehearsed.pods()) {
      space.client().resource(pod).dryRun(true).create();
    }
    var gang = GangManifest.of(space, "other", 4).annotated("muster.io/pin", "allowed");
    gang.create();
    Await.until("the gang to run", SOON, () -> gang.running() == 4);
    assertThat(members(space)).allMatch(pod -> pin(pod).isPresent());
  }

  @Test
  void membersOfAJobThatAreStuckOnTheirNodesAreMadeAnewAndTheJobCountsNoFailure(TestSpace space) {
    var first = space.nodes(4, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4);
    var job = gang.job();
    job.getSpec().setParallelism(3);
    job.getSpec().setBackoffLimit(0);
    var jobs = space.client().batch().v1().jobs().inNamespace(space.namespace());
    jobs.resource(job).create();
    Await.until(
        "three members to be tied",
        SOON,
        () -> members(space).stream().filter(pod -> pin(pod).isPresent()).count() == 3);
    var stuck = members(space).stream().map(pod -> pod.getMetadata().getUid()).toList();

    first.forEach(node ->
        space
            .client()
            .nodes()
            .withName(node)
            .edit(found ->
                new NodeBuilder(found).editSpec().withUnschedulable(true).endSpec().build()));
    space.nodes(4, NodeShape.GPU1);
    jobs.withName("train")
        .edit(found -> new JobBuilder(found).editSpec().withParallelism(4).endSpec().build());

    Await.until("the gang to run on other nodes", SOON, () -> gang.running() == 4);
    assertThat(members(space)).noneMatch(pod -> stuck.contains(pod.getMetadata().getUid()));
    var status = jobs.withName("train").get().getStatus();
    assertThat(status.getFailed()).isIn(null, 0);
    assertThat(status.getActive()).isEqualTo(4);
  }
}
