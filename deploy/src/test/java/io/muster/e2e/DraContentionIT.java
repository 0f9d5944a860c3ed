package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Many gangs on nodes of which half offer their GPUs by a device plugin and half by a
 * ResourceSlice. Of each gang some members ask for GPUs, and others claim them.
 */
@ExtendWith(SandboxExtension.class)
@Tag("long")
final class DraContentionIT {

  private static final int GANGS = 200;
  private static final int AT_A_TIME = 12;
  private static final int MOST_MEMBERS = 6;
  private static final int MOST_EACH = 3;
  private static final int GPUS_A_NODE = 8;

  /** Without any gang that starts in it. */
  private static final Duration STANDSTILL = Duration.ofSeconds(90);

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TOGETHER = Duration.ofSeconds(15);

  @Test
  void ofTwoHundredGangsEachStartsWholeAndNoDeviceIsGivenTwice(Sandbox sandbox, TestSpace space) {
    try (var devices = DraDevices.ofGpus(space);
        var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      space.nodes(3, NodeShape.GPU8);
      devices.on(space.nodes(3, NodeShape.CPU), GPUS_A_NODE);
      for (long count = 1; count <= MOST_EACH; count++) {
        devices.template(template(count), "ExactCount", count);
      }
      var crowd = new Crowd(space, new Random(27));
      long waited = System.nanoTime();
      while (!crowd.isServed()) {
        if (crowd.advance()) {
          waited = System.nanoTime();
        }
        assertThat(crowd.faults).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - waited))
            .as("since a gang has started last; there are %s", crowd.there)
            .isLessThan(STANDSTILL);
        LockSupport.parkNanos(POLL.toNanos());
      }
      assertThat(crowd.started).hasSize(GANGS);
      assertThat(crowd.nodesUsed).hasSize(6);
      for (var gang : crowd.started) {
        assertThat(watch.spread(gang.gang(), gang.members()))
            .as("from the first to the last binding of %s", gang.name())
            .hasValueSatisfying(spread -> assertThat(spread).isLessThan(TOGETHER));
      }
    }
  }

  private static String template(long count) {
    return "gpus-" + count;
  }

  /** Gangs that come, run, and go at once. Confined to the test's thread. */
  private static final class Crowd {
    private final TestSpace space;
    private final Random random;
    private final List<GangManifest> there = new ArrayList<>();
    private final List<GangManifest> started = new ArrayList<>();
    private final Set<String> nodesUsed = new TreeSet<>();
    private final Set<String> faults = new TreeSet<>();
    private int created;

    Crowd(TestSpace space, Random random) {
      this.space = space;
      this.random = random;
    }

    boolean isServed() {
      return started.size() == GANGS;
    }

    /** Whether some gang has started. */
    boolean advance() {
      while (created < GANGS && there.size() < AT_A_TIME) {
        create();
      }
      check();
      int before = started.size();
      for (var gang : List.copyOf(there)) {
        if (gang.running() == gang.members()) {
          check();
          gang.delete();
          there.remove(gang);
          started.add(gang);
        }
      }
      return started.size() > before;
    }

    private void create() {
      int each = 1 + random.nextInt(MOST_EACH);
      var gang =
          GangManifest.of(space, "g" + created++, 2 + random.nextInt(MOST_MEMBERS - 1)).gpus(each);
      for (var pod : gang.pods()) {
        gang.create(random.nextBoolean() ? pod : claiming(pod, each));
      }
      there.add(gang);
    }

    private static Pod claiming(Pod pod, long count) {
      pod.getSpec().getContainers().getFirst().getResources().setLimits(null);
      return DraDevices.claimingBy(pod, template(count));
    }

    /** Adds up what pods and claims have at one moment each. */
    private void check() {
      var held = new HashMap<String, Long>();
      for (var pod : space.client().pods().inNamespace(space.namespace()).list().getItems()) {
        var node = pod.getSpec().getNodeName();
        if (node != null) {
          nodesUsed.add(node);
          held.merge(node, gpus(pod), Long::sum);
        }
      }
      held.forEach((node, gpus) -> {
        if (gpus > GPUS_A_NODE) {
          faults.add("pods on %s hold %d GPUs".formatted(node, gpus));
        }
      });
      var given = new HashSet<String>();
      for (var claim :
          space
              .client()
              .resources(ResourceClaim.class)
              .inNamespace(space.namespace())
              .list()
              .getItems()) {
        if (claim.getStatus() != null && claim.getStatus().getAllocation() != null) {
          for (var result : claim.getStatus().getAllocation().getDevices().getResults()) {
            var device = result.getPool() + "/" + result.getDevice();
            if (!given.add(device)) {
              faults.add(device + " is allocated twice");
            }
          }
        }
      }
    }

    private static long gpus(Pod pod) {
      var claims = pod.getSpec().getResourceClaims();
      if (claims != null && !claims.isEmpty()) {
        var template = claims.getFirst().getResourceClaimTemplateName();
        return Long.parseLong(template.substring(template.indexOf('-') + 1));
      }
      var limits = pod.getSpec().getContainers().getFirst().getResources().getLimits();
      return limits
          .getOrDefault(DraDevices.GPU, new Quantity("0"))
          .getNumericalAmount()
          .longValueExact();
    }
  }
}
