package io.muster.extender.core.decision;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.gang.GangKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Pods as a {@link HostileTenant} makes them: gangs of any dialect, or singles. */
final class HostileTemplates {

  static final Duration LONG_GRACE = Duration.ofSeconds(1_000_000);
  static final String SCHEDULER = "default-scheduler";

  private final String namespace;
  private final List<Integer> priorities;
  private final Random random;
  private final HostileMarkings markings;

  /**
   * @param priorities of the classes that there are
   */
  HostileTemplates(
      String namespace, List<Integer> priorities, Random random, HostileMarkings markings) {
    this.namespace = namespace;
    this.priorities = priorities;
    this.random = random;
    this.markings = markings;
  }

  /**
   * What pods that are made at once have alike.
   *
   * @param owner uid of their controller
   * @param areOnNodes whether each names its node itself
   * @param areTied whether each can only go to one node
   */
  record Template(
      Map<String, String> annotations,
      Map<String, String> labels,
      Optional<String> owner,
      long gpus,
      int priority,
      String scheduler,
      Duration grace,
      boolean areOnNodes,
      boolean areTied) {}

  /**
   * Some template.
   *
   * @param name of the gang, where it is one
   * @param count of pods that will be made of it
   */
  Template any(String name, String owner, int count) {
    var controller = oneIn(5) ? Optional.<String>empty() : Optional.of(owner);
    var annotations = new TreeMap<String, String>();
    var labels = new TreeMap<String, String>();
    if (!oneIn(5)) {
      markings.mark(annotations, labels, name, count);
    }
    markings.spoil(annotations, labels);
    if (oneIn(3)) {
      annotations.put(GangKeys.PREEMPTIBLE, Boolean.toString(random.nextBoolean()));
    }
    if (oneIn(6)) {
      annotations.put(GangKeys.QUEUE, any(List.of("speech", "default", "none", "research")));
    }
    if (oneIn(6)) {
      annotations.put(GangKeys.LATER, markings.later());
    }
    return new Template(
        annotations,
        labels,
        controller,
        any(List.of(0L, 1L, 1L, 1L, 2L, 4L, 8L, 9L)),
        any(priorities),
        oneIn(12) ? "volcano" : SCHEDULER,
        oneIn(6) ? LONG_GRACE : TenantsHistory.GRACE,
        oneIn(8),
        oneIn(6));
  }

  /** One pod of it, as its user sends it. */
  Pod pod(Template of, String name, List<String> nodes, Instant now) {
    var owners =
        of.owner().stream()
            .map(uid -> new OwnerReferenceBuilder().withController(true).withUid(uid).build())
            .toList();
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .withUid("uid-" + name)
        .withCreationTimestamp(now.toString())
        .withAnnotations(of.annotations())
        .withLabels(of.labels())
        .withOwnerReferences(owners)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName(of.scheduler())
        .withPriority(of.priority())
        .withTerminationGracePeriodSeconds(of.grace().toSeconds())
        .withPreemptionPolicy(oneIn(10) ? "Never" : null)
        .withNodeName(of.areOnNodes() ? any(nodes) : null)
        .withNodeSelector(of.areTied() ? Map.of("kubernetes.io/hostname", any(nodes)) : null)
        .addNewContainer()
        .withNewResources()
        .addToRequests("cpu", new Quantity("10m"))
        .addToRequests("nvidia.com/gpu", new Quantity("" + of.gpus()))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase(of.areOnNodes() ? "Running" : "Pending")
        .endStatus()
        .build();
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }
}
