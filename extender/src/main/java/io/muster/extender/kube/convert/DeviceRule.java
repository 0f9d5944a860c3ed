package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Accelerator.Kind;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.kube.convert.MemberClaims.Claimed;
import io.muster.extender.kube.convert.MemberClaims.Entry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Members of a gang ask for whole devices or partitions, because only those can be counted per
 * node. Finds the first thing in a pod that says otherwise: a resource, a claim that cannot be
 * counted, or an annotation of KAI. A quantity of 0 asks for nothing. Safe for concurrent use.
 */
public final class DeviceRule {

  /** KAI's annotations, which stand for a resource. */
  private static final Map<String, Kind> ANNOTATIONS =
      Map.of("gpu-fraction", Kind.SHARE, "gpu-memory", Kind.MEMORY);

  private static final String WHOLE_GPU = "nvidia.com/gpu";

  private final Amounts amounts;
  private volatile MemberClaims claims = MemberClaims.UNKNOWN;

  DeviceRule(Amounts amounts) {
    this.amounts = amounts;
  }

  void claimsBy(MemberClaims known) {
    claims = known;
  }

  /** The member as it is, or as one that cannot be placed as things are. */
  Membership checked(Membership membership, Markings markings, PodSpec spec, List<Entry> entries) {
    return inAllContainers(spec)
        .or(() -> inClaims(entries))
        .or(() -> inAnnotations(markings.annotations()))
        .map(found -> membership.unplaceable(found.field(), found.value(), found.problem()))
        .orElse(membership);
  }

  /** What a spec asks for in another way. */
  Optional<Violation> in(PodSpec spec) {
    return inAllContainers(spec).or(() -> anyClaim(spec));
  }

  /** What a member asks for, with what it claims. */
  Resources withClaims(Resources asked, List<Entry> entries) {
    return with(asked, entries, this::counted);
  }

  /** What a pod on a node asks for, with what was allocated to it. */
  Resources withAllocated(Resources asked, List<Entry> entries, boolean isMember) {
    return with(
        asked,
        entries,
        entry -> claims.allocated(entry).orElseGet(() -> isMember ? counted(entry) : Map.of()));
  }

  private Map<String, Long> counted(Entry entry) {
    return claims.of(entry) instanceof Claimed.Counted(var units) ? units : Map.of();
  }

  private static Resources with(
      Resources asked, List<Entry> entries, Function<Entry, Map<String, Long>> claimed) {
    if (entries.isEmpty()) {
      return asked;
    }
    var extended = new HashMap<>(asked.extended());
    var counted = new HashSet<String>();
    for (var entry : entries) {
      if (entry.claimName().isEmpty() || counted.add(entry.claimName().get())) {
        claimed.apply(entry).forEach((name, count) -> extended.merge(name, count, Bounds::sum));
      }
    }
    return Amounts.bounded(new Resources(asked.cpuMillis(), asked.memoryBytes(), extended))
        .withHostPorts(asked.hostPorts());
  }

  private Optional<Violation> inClaims(List<Entry> entries) {
    for (int i = 0; i < entries.size(); i++) {
      if (claims.of(entries.get(i)) instanceof Claimed.Refused(var problem)) {
        var field = "spec.resourceClaims[%d]".formatted(i);
        var name = text(entries.get(i).claim().getName());
        return Optional.of(new Violation(field, name, field + " " + problem));
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> inAllContainers(PodSpec spec) {
    return inContainers("spec.containers", spec.getContainers())
        .or(() -> inContainers("spec.initContainers", spec.getInitContainers()));
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

  private static Optional<Violation> anyClaim(PodSpec spec) {
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
