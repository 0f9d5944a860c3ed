package io.muster.webhook.core.facts;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.webhook.core.facts.PodFacts.ContainerFacts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Says what is wrong with numbers of devices, more clearly than the apiserver would. */
public final class Quantities {

  private Quantities() {}

  /** The first number that the apiserver would refuse, and the remedy. */
  public static Optional<String> problem(PodFacts pod) {
    return problem("spec.initContainers", pod.initContainers())
        .or(() -> problem("spec.containers", pod.containers()));
  }

  private static Optional<String> problem(String path, List<ContainerFacts> containers) {
    for (int i = 0; i < containers.size(); i++) {
      var container = containers.get(i);
      var names = new TreeSet<>(container.requests().keySet());
      names.addAll(container.limits().keySet());
      for (var name : names) {
        if (name.indexOf('/') > 0 && Accelerators.isManaged(name)) {
          var problem = problem("%s[%d].resources".formatted(path, i), name, container);
          if (problem.isPresent()) {
            return problem;
          }
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> problem(String path, String name, ContainerFacts container) {
    return fraction(path + ".limits", name, container.limits())
        .or(() -> fraction(path + ".requests", name, container.requests()))
        .or(() -> difference(path, name, container));
  }

  private static Optional<String> fraction(
      String path, String name, Map<String, String> quantities) {
    return Optional.ofNullable(quantities.get(name))
        .filter(quantity -> Amount.of(quantity).filter(n -> !Amount.isWhole(n)).isPresent())
        .map(quantity ->
            "%s[\"%s\"] is \"%s\"; devices cannot be split: ask for a whole number"
                .formatted(path, name, quantity));
  }

  private static Optional<String> difference(String path, String name, ContainerFacts container) {
    var request = container.requests().get(name);
    var limit = container.limits().get(name);
    var asked = Optional.ofNullable(request).flatMap(Amount::of);
    var most = Optional.ofNullable(limit).flatMap(Amount::of);
    return asked.isPresent() && most.isPresent() && asked.get().compareTo(most.get()) != 0
        ? Optional.of(
            "%s: %s is %s in requests and %s in limits; devices cannot be overcommitted: set both alike"
                .formatted(path, name, request, limit))
        : Optional.empty();
  }
}
