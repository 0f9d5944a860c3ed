package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.extender.kube.gang.Gang;
import io.muster.faults.Capacity;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs under a kube-scheduler that is set up in another way. */
@ExtendWith(SandboxExtension.class)
final class SchedulersIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void aSchedulerOfItsOwnPlacesTheGangsThatNameIt(Sandbox sandbox, TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var own = sandbox.secondScheduler();
    sandbox.scheduler().start(Optional.empty());
    own.start(Optional.of(sandbox.extender()));
    try (var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      var workers = GangManifest.of(space, "mixed", 3).min(4);
      var launcher = workers.gpus(0).pod("launcher");
      workers.create(ofOwn(launcher));
      workers.pods().stream().map(SchedulersIT::ofOwn).forEach(workers::create);
      var ordinary =
          GangManifest.of(space, "ordinary", 1)
              .without(GangManifest.NAME)
              .without(GangManifest.MIN)
              .gpus(0);
      ordinary.create();
      Await.until("the ordinary pod to run", SOON, () -> isRunning(space, "ordinary-0"));
      Await.until("the gang to wait for room", SOON, () -> waitsForRoom(space, "mixed"));
      assertThat(watch.everBound(workers.gang())).isEmpty();

      space.nodes(1, NodeShape.GPU1);
      Await.until("the gang to run", SOON, () -> workers.running() == 4);
      assertThat(Capacity.exceeded(space)).isEmpty();
    } finally {
      own.kill();
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
    }
  }

  @Tag("long")
  @Test
  void membersEndWholeThoughOnlySomeNodesAreOffered(Sandbox sandbox, TestSpace space) {
    int nodes = 130;
    int members = 40;
    space.nodes(nodes, NodeShape.GPU1);
    // The least that kube-scheduler looks for is 100.
    sandbox
        .scheduler()
        .start(Optional.of(sandbox.extender()), Map.of("percentageOfNodesToScore", 5));
    try (var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      for (var name : new String[] {"one", "two", "three"}) {
        var gang = GangManifest.of(space, name, members);
        gang.create();
        Await.until(name + " to run", SOON, () -> gang.running() == members);
        assertThat(watch.spread(gang.gang(), members)).isPresent();
      }
      assertThat(Capacity.exceeded(space)).isEmpty();
    } finally {
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
    }
  }

  private static Pod ofOwn(Pod pod) {
    pod.getSpec().setSchedulerName("muster-scheduler");
    return pod;
  }

  private static boolean waitsForRoom(TestSpace space, String gang) {
    var found =
        space.client().resources(Gang.class).inNamespace(space.namespace()).withName(gang).get();
    return found != null
        && found.getStatus() != null
        && "TooLarge".equals(found.getStatus().reason());
  }

  private static boolean isRunning(TestSpace space, String name) {
    var pod = space.client().pods().inNamespace(space.namespace()).withName(name).get();
    return "Running".equals(pod.getStatus().getPhase());
  }
}
