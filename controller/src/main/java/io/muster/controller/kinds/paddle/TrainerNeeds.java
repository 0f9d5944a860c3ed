package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.muster.extender.kube.convert.Amounts;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** What one pod of a role needs, in the words that clusters have by now. Immutable. */
record TrainerNeeds(Map<String, Quantity> limits, Map<String, Quantity> requests) {

  private static final String OLD_GPU = "alpha.kubernetes.io/nvidia-gpu";
  private static final String GPU = "nvidia.com/gpu";
  private static final Amounts AMOUNTS = new Amounts();

  TrainerNeeds {
    limits = Map.copyOf(limits);
    requests = Map.copyOf(requests);
  }

  /** As it is written; null says nothing. */
  static TrainerNeeds of(ResourceRequirements said) {
    var limits = renamed(said == null ? null : said.getLimits());
    var requests = renamed(said == null ? null : said.getRequests());
    // The apiserver takes a device only with a limit of the same number.
    if (limits.containsKey(GPU)) {
      requests.put(GPU, limits.get(GPU));
    } else if (requests.containsKey(GPU)) {
      limits.put(GPU, requests.get(GPU));
    }
    return new TrainerNeeds(limits, requests);
  }

  private static Map<String, Quantity> renamed(Map<String, Quantity> said) {
    var renamed = new TreeMap<>(Objects.requireNonNullElse(said, Map.<String, Quantity>of()));
    renamed.values().removeIf(Objects::isNull);
    Optional.ofNullable(renamed.remove(OLD_GPU)).ifPresent(gpus -> renamed.putIfAbsent(GPU, gpus));
    return renamed;
  }

  boolean usesGpus() {
    return whole(GPU) > 0;
  }

  /** GPUs of a pod that has some, else its CPUs; whole ones, rounded up. */
  int computers() {
    return usesGpus() ? whole(GPU) : Math.max(1, whole("cpu"));
  }

  private int whole(String resource) {
    long units = AMOUNTS.units(resource, requests.containsKey(resource) ? requests : limits);
    return (int) Math.min(units, Integer.MAX_VALUE);
  }

  /** As a container says it. */
  ResourceRequirements written() {
    return new ResourceRequirementsBuilder().withLimits(limits).withRequests(requests).build();
  }
}
