package io.muster.extender.kube.convert;

import static io.muster.extender.kube.convert.PodConverter.present;
import static io.muster.extender.kube.convert.PodConverter.text;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.cluster.Accelerator.Kind;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Members of a gang ask for whole devices or partitions, because only those can be counted per
 * node. Finds the first thing in a pod that says otherwise: a resource, a resource claim, or an
 * annotation of KAI. A quantity of 0 asks for nothing. Safe for concurrent use.
 */
public final class DeviceRule {

  /** KAI's annotations, which stand for a resource. */
  private static final Map<String, Kind> ANNOTATIONS =
      Map.of("gpu-fraction", Kind.SHARE, "gpu-memory", Kind.MEMORY);

  private static final String WHOLE_GPU = "nvidia.com/gpu";

  private final Amounts amounts;

  DeviceRule(Amounts amounts) {
    this.amounts = amounts;
  }

  /** The member as it is, or as one that can never be placed. */
  Membership checked(Membership membership, Markings markings, PodSpec spec) {
    return in(spec)
        .or(() -> inAnnotations(markings.annotations()))
        .map(found -> membership.unplaceable(found.field(), found.value(), found.problem()))
        .orElse(membership);
  }

  /** What a spec asks for in another way. */
  Optional<Violation> in(PodSpec spec) {
    return inContainers("spec.containers", spec.getContainers())
        .or(() -> inContainers("spec.initContainers", spec.getInitContainers()))
        .or(() -> inClaims(spec));
  }

  private Optional<Violation> inContainers(String path, List<Container> containers) {
    for (int i = 0; i < containers.size(); i++) {
      var resources = containers.get(i).getResources();
      if (resources != null) {
        var field = "%s[%d].resources.".formatted(path, i);
        var found =
            inQuantities(field + "limits", present(resources.getLimits()))
                .or(() -> inQuantities(field + "requests", present(resources.getRequests())));
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> inQuantities(String path, Map<String, Quantity> quantities) {
    for (var name : new TreeSet<>(quantities.keySet())) {
      var known = Accelerators.find(name).filter(found -> !found.kind().isCounted());
      if (known.isPresent() && amounts.units(name, quantities) > 0) {
        return Optional.of(
            partial(
                "%s[\"%s\"]".formatted(path, name),
                quantities.get(name).toString(),
                known.get().kind(),
                known.get().askFor()));
      }
    }
    return Optional.empty();
  }

  private static Optional<Violation> inClaims(PodSpec spec) {
    return spec.getResourceClaims().stream()
        .findFirst()
        .map(claim ->
            new Violation(
                "spec.resourceClaims[0]",
                text(claim.getName()),
                "spec.resourceClaims[0] claims devices, and Muster cannot see which ones a claim"
                    + " gets: ask for their extended resource instead, such as "
                    + WHOLE_GPU));
  }

  private static Optional<Violation> inAnnotations(Map<String, String> annotations) {
    for (var key : new TreeSet<>(ANNOTATIONS.keySet())) {
      var value = annotations.getOrDefault(key, "");
      if (!value.isEmpty()) {
        return Optional.of(
            partial(
                "metadata.annotations[\"%s\"]".formatted(key),
                value,
                ANNOTATIONS.get(key),
                WHOLE_GPU));
      }
    }
    return Optional.empty();
  }

  private static Violation partial(String field, String value, Kind kind, String askFor) {
    var asked = kind == Kind.MEMORY ? "memory of a device" : "a share of a device";
    return new Violation(
        field,
        value,
        "%s asks for %s; gangs are placed on whole devices: ask for %s"
            .formatted(field, asked, askFor));
  }

  /** The field and its value, and a sentence that says what would be right. */
  record Violation(String field, String value, String problem) {}
}
