package io.muster.webhook.core;

import io.muster.extender.core.cluster.Accelerator.Kind;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.webhook.core.facts.Amount;
import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.core.facts.PodFacts.ContainerFacts;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One container, and what it is to injection. Immutable.
 *
 * @param path JSON pointer to it
 * @param accelerators names of the accelerators, or shares of them, that it asks for
 */
record Injectable(String path, ContainerFacts facts, Sort sort, Set<String> accelerators) {

  /** More than any node has; keeps sums within bounds. */
  private static final BigDecimal MOST_DEVICES = BigDecimal.valueOf(100_000);

  /** What a container is to injection. */
  enum Sort {
    /** It asks for accelerators, and runs as long as the pod. */
    DEVICE,
    /** It runs as long as the pod and asks for none. */
    PLAIN,
    /** It ends before the pod's work begins. */
    INITIAL,
    /** It belongs to the cluster's infrastructure and not to the pod's user. */
    FOREIGN
  }

  /** All containers of the pod, those that are started first in front. */
  static List<Injectable> of(PodFacts pod, Predicate<String> isForeign) {
    var all = new ArrayList<Injectable>();
    add(all, "/spec/initContainers/", pod.initContainers(), true, isForeign);
    add(all, "/spec/containers/", pod.containers(), false, isForeign);
    return List.copyOf(all);
  }

  private static void add(
      List<Injectable> all,
      String path,
      List<ContainerFacts> containers,
      boolean first,
      Predicate<String> isForeign) {
    for (int i = 0; i < containers.size(); i++) {
      var container = containers.get(i);
      boolean ends = first && !container.restartsAlways();
      var accelerators = accelerators(container);
      boolean asks = asksForDevices(container, accelerators);
      var sort = sort(ends, asks, isForeign.test(container.name()));
      all.add(new Injectable(path + i, container, sort, accelerators));
    }
  }

  private static Sort sort(boolean ends, boolean asks, boolean isForeign) {
    if (isForeign) {
      return Sort.FOREIGN;
    }
    if (ends) {
      return Sort.INITIAL;
    }
    return asks ? Sort.DEVICE : Sort.PLAIN;
  }

  /** Whether it asks for an accelerator, or for a claim, which may be for one. */
  boolean asksForDevices() {
    return asksForDevices(facts, accelerators);
  }

  private static boolean asksForDevices(ContainerFacts container, Set<String> accelerators) {
    return !container.resources().claims().isEmpty() || !accelerators.isEmpty();
  }

  private static Set<String> accelerators(ContainerFacts container) {
    var names = new HashSet<String>();
    container.requests().forEach((name, quantity) -> addIfAccelerator(names, name, quantity));
    container.limits().forEach((name, quantity) -> addIfAccelerator(names, name, quantity));
    return Set.copyOf(names);
  }

  private static void addIfAccelerator(Set<String> names, String name, String quantity) {
    if (name.indexOf('/') > 0
        && Accelerators.kindOf(name).isPresent()
        && Amount.isPositive(quantity)) {
      names.add(name);
    }
  }

  /** How many devices it asks for, counting partitions as devices. */
  long devices() {
    return accelerators.stream()
        .filter(name -> Accelerators.kindOf(name).filter(Kind::isCounted).isPresent())
        .map(name -> facts.limits().getOrDefault(name, facts.requests().getOrDefault(name, "0")))
        .flatMap(quantity -> Amount.of(quantity).stream())
        .mapToLong(amount -> amount.min(MOST_DEVICES).longValue())
        .sum();
  }

  /** Whether NVIDIA's runtime reads its environment for what devices it may see. */
  boolean asksNvidia() {
    return accelerators.stream().anyMatch(name -> name.startsWith("nvidia.com/"));
  }
}
