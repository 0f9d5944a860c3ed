package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.Pod.Pinning;
import io.muster.extender.core.gang.GangKeys;
import java.util.Optional;

/**
 * Whether a pod may be tied to its place, and to what it is tied. A pod may be if its owner makes
 * it anew or it consents, and if nothing decides where it can run that the plan does not know of:
 * volumes, other pods.
 */
public final class NodePinReading {

  /** A pod's own terms are written once for each node; beyond these the pin costs too much. */
  private static final int MOST_OWN_TERMS = 4;

  private NodePinReading() {}

  static Pinning of(ObjectMeta metadata, PodSpec spec, Demand demand) {
    var annotations = present(metadata.getAnnotations());
    var pin = Optional.ofNullable(annotations.get(GangKeys.PINNED)).flatMap(NodePin::parse);
    boolean consents =
        switch (annotations.getOrDefault(GangKeys.PIN, "")) {
          case "allowed" -> true;
          case "never" -> false;
          default ->
              metadata.getOwnerReferences().stream()
                  .anyMatch(owner -> Boolean.TRUE.equals(owner.getController()));
        };
    var own = pin.map(p -> p.untie(demand)).orElse(demand);
    boolean isSimple =
        own.anyOfTerms().size() <= MOST_OWN_TERMS
            && own.anyOfTerms().stream().allMatch(NodePinReading::isUnderstood);
    boolean isPlain = isSimple && isPlain(spec);
    return new Pinning(isPlain, consents && isPlain, pin);
  }

  private static boolean isPlain(PodSpec spec) {
    return !PodConverter.mountsClaims(spec)
        && !dependsOnPods(spec.getAffinity())
        && spec.getTopologySpreadConstraints().stream()
            .noneMatch(spread -> text(spread.getWhenUnsatisfiable()).equals("DoNotSchedule"));
  }

  private static boolean dependsOnPods(Affinity affinity) {
    return affinity != null
        && ((affinity.getPodAffinity() != null
                && !affinity
                    .getPodAffinity()
                    .getRequiredDuringSchedulingIgnoredDuringExecution()
                    .isEmpty())
            || (affinity.getPodAntiAffinity() != null
                && !affinity
                    .getPodAntiAffinity()
                    .getRequiredDuringSchedulingIgnoredDuringExecution()
                    .isEmpty()));
  }

  /** A term that holds somewhere, whose parts are known, and that names no node itself. */
  private static boolean isUnderstood(NodeTerm term) {
    return !term.labels().isEmpty()
        && term.fields().isEmpty()
        && term.labels().stream().noneMatch(requirement -> requirement.key().isEmpty());
  }
}
