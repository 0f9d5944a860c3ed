package io.muster.extender.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.watch.BudgetFeed;
import io.muster.extender.kube.watch.NamespaceQuotaFeed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever numbers stand in objects that the API takes, no decision fails. */
final class HostileNumbersProperties {

  private static final List<Long> NUMBERS =
      List.of(Long.MIN_VALUE, -1L, 0L, 1L, 2L, 30L, 1L << 40, Long.MAX_VALUE - 1, Long.MAX_VALUE);

  private static final List<Integer> SMALL =
      List.of(Integer.MIN_VALUE, -1, 0, 1, 2, 1_000_000, Integer.MAX_VALUE);

  private static final List<String> TIMES =
      List.of(
          "",
          "0000-01-01T00:00:00Z",
          "-999999999-01-01T00:00:00Z",
          "1970-01-01T00:00:00Z",
          "2026-01-01T00:00:00Z",
          "9999-12-31T23:59:59Z",
          "+999999999-12-31T23:59:59.999999999Z",
          "no time");

  private static final List<String> AMOUNTS =
      List.of("0", "1", "2", "8", "-1", "0.1", "9223372036854775807", "1e30", "1E", "1e-30", "1k");

  private static final List<String> DURATIONS =
      List.of(
          "0", "1ns", "-1h", "90m", "2540400h10m10s", "2562047h47m16.854775807s", "9999999h", "x");

  private final Random random = new Random();
  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final List<Throwable> faults = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private GangScheduler muster = protocol();

  private static GangScheduler protocol() {
    return new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private Quantity amount() {
    return new Quantity(any(AMOUNTS));
  }

  private Node node(int index) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n" + index)
        .withCreationTimestamp(any(TIMES))
        .endMetadata()
        .withNewSpec()
        .addNewTaint()
        .withKey("any")
        .withEffect("PreferNoSchedule")
        .withTimeAdded(any(TIMES))
        .endTaint()
        .endSpec()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .addToAllocatable(
            Map.of(
                "nvidia.com/gpu",
                random.nextBoolean() ? new Quantity("2") : amount(),
                "cpu",
                random.nextBoolean() ? new Quantity("64") : amount(),
                "memory",
                new Quantity("1Ti"),
                "pods",
                random.nextInt(4) > 0 ? new Quantity("110") : amount()))
        .endStatus()
        .build();
  }

  private Pod pod(int index) {
    boolean isMember = random.nextInt(3) > 0;
    boolean isBound = random.nextInt(3) == 0;
    var annotations =
        isMember
            ? Map.of(
                "muster.io/gang-name", "g" + index % 3,
                "muster.io/gang-min", random.nextBoolean() ? "2" : any(NUMBERS).toString(),
                "muster.io/gang-total", any(NUMBERS).toString(),
                "muster.io/gang-timeout", any(DURATIONS),
                "muster.io/gang-index", any(NUMBERS).toString(),
                "muster.io/gang-later",
                    "{\"containers\":[{\"resources\":{\"requests\":{\"nvidia.com/gpu\":\"%s\"}}}]}"
                        .formatted(any(AMOUNTS)),
                "muster.io/run-time", any(DURATIONS),
                "muster.io/checkpoint", any(DURATIONS),
                "muster.io/incarnation", any(NUMBERS).toString())
            : Map.of("muster.io/run-time", any(DURATIONS), "muster.io/checkpoint", any(DURATIONS));
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("p-" + index)
        .withUid("u-" + index)
        .withCreationTimestamp(any(TIMES))
        .withDeletionTimestamp(isBound && random.nextInt(3) == 0 ? any(TIMES) : null)
        .withDeletionGracePeriodSeconds(any(NUMBERS))
        .withAnnotations(annotations)
        .addNewOwnerReference()
        .withController(true)
        .withUid("owner")
        .endOwnerReference()
        .endMetadata()
        .withNewSpec()
        .withNodeName(isBound ? "n" + random.nextInt(3) : null)
        .withPriority(any(SMALL))
        .withActiveDeadlineSeconds(any(NUMBERS))
        .withTerminationGracePeriodSeconds(any(NUMBERS))
        .addNewToleration()
        .withKey("any")
        .withTolerationSeconds(any(NUMBERS))
        .endToleration()
        .addNewContainer()
        .addNewPort()
        .withHostPort(any(SMALL))
        .endPort()
        .withNewResources()
        .addToLimits("nvidia.com/gpu", random.nextBoolean() ? new Quantity("1") : amount())
        .addToRequests("cpu", amount())
        .addToRequests("memory", random.nextBoolean() ? new Quantity("1Gi") : amount())
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase(isBound ? "Running" : "Pending")
        .withStartTime(any(TIMES))
        .endStatus()
        .build();
  }

  private PodDisruptionBudget budget() {
    return new PodDisruptionBudgetBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("b")
        .endMetadata()
        .withNewSpec()
        .withMinAvailable(new IntOrString(any(SMALL)))
        .withNewSelector()
        .endSelector()
        .endSpec()
        .withNewStatus()
        .withDisruptionsAllowed(any(SMALL))
        .endStatus()
        .build();
  }

  private ResourceQuota quota() {
    return new ResourceQuotaBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("q")
        .endMetadata()
        .withNewSpec()
        .addToHard("requests.nvidia.com/gpu", amount())
        .endSpec()
        .withNewStatus()
        .addToUsed("requests.nvidia.com/gpu", amount())
        .endStatus()
        .build();
  }

  private Queues queues() {
    return new Queues(
        List.of(
            new Queue(
                "default",
                1,
                Optional.of(2L),
                Optional.empty(),
                any(List.of(Order.values())),
                random.nextBoolean(),
                Optional.of(Duration.ofSeconds(any(NUMBERS))),
                Optional.of(Duration.ofSeconds(any(NUMBERS))),
                Set.of("ml"))));
  }

  private void told(Event event) {
    note(muster.on(event, now));
  }

  private void note(List<Effect> effects) {
    for (var effect : effects) {
      if (effect instanceof Effect.Fault fault) {
        faults.add(fault.cause());
      }
    }
  }

  @Property(tries = 150)
  void noDecisionFails(@ForAll long seed) {
    random.setSeed(seed);
    faults.clear();
    muster = protocol();
    if (random.nextBoolean()) {
      told(new Event.QueuesSet(queues()));
    }
    for (int i = 0; i < 3; i++) {
      told(new Event.NodeSeen(translation.node(node(i))));
    }
    BudgetFeed.read(budget()).ifPresent(budget -> told(new Event.BudgetSeen(budget)));
    tellQuota();
    told(new Event.LeaseHeld(Instant.MAX, random.nextBoolean()));
    told(new Event.Ready());
    for (int step = 0; step < 60; step++) {
      if (step % 20 == 19) {
        tellQuota();
      }
      if (step % 2 == 0) {
        see(translation.pod(pod(random.nextInt(12))));
      }
      now = now.plusSeconds(15);
      told(new Event.Tick());
    }
    assertThat(faults).isEmpty();
  }

  private void tellQuota() {
    NamespaceQuotaFeed.read(quota()).ifPresent(quota -> told(new Event.NamespaceQuotaSeen(quota)));
  }

  private void see(io.muster.extender.core.cluster.Pod pod) {
    told(new Event.PodSeen(pod));
    note(muster.filter(pod, List.of("n0", "n1", "n2"), now).effects());
    if (random.nextInt(6) == 0) {
      told(new Event.PodGone(new PodKey("ml", pod.key().name(), pod.key().uid())));
    }
  }
}
