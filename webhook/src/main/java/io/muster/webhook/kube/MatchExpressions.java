package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.dialect.DialectKeys;
import io.muster.extender.core.gang.dialect.OwnerInference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The conditions, in CEL, on which the apiserver asks about a pod. An expression that fails counts
 * as a failed call, so every optional field is checked behind {@code has()}. What several of them
 * say together is one expression, which ends at the first that does not hold: the apiserver
 * evaluates a list of conditions to its end.
 */
final class MatchExpressions {

  /** Static pods, which a kubelet shows to the apiserver: they run already. */
  private static final String NOT_MIRROR =
      "!(has(object.metadata.annotations) && 'kubernetes.io/config.mirror' in"
          + " object.metadata.annotations)";

  /** A kubelet makes no pods but these. */
  static final String NOT_BY_A_NODE = "!request.userInfo.username.startsWith('system:node:')";

  static final String NODE_NAMED = "has(object.spec.nodeName) && object.spec.nodeName != ''";

  /** Nothing is left to decide about a pod that states its node; a gate on it is refused. */
  private static final String NO_NODE_YET =
      "!has(object.spec.nodeName) || object.spec.nodeName == ''";

  /**
   * What the cluster itself starts together is none of Muster's business, but for the PodGroups
   * that Muster puts members into: it is asked about those again when another webhook has changed
   * them.
   */
  private static final String NOT_NATIVE_GANG =
      "(!has(object.spec.schedulingGroup) || (%s)) && !has(dyn(object.spec).workloadRef)"
          .formatted(inGroup(true));

  /** In a PodGroup that somebody else has made. */
  static final String IN_ANOTHERS_GROUP =
      "has(object.spec.schedulingGroup) && %s".formatted(inGroup(false));

  static final String GANG =
      "(has(object.metadata.annotations) && object.metadata.annotations.exists(k, %s))"
              .formatted(anyOf("k", DialectKeys.ANNOTATIONS, DialectKeys.ANNOTATION_PREFIXES))
          + " || (has(object.metadata.labels) && object.metadata.labels.exists(k, %s))"
              .formatted(anyOf("k", DialectKeys.LABELS, Set.of()))
          + " || (has(object.spec.schedulingGroup) && %s)".formatted(inGroup(true));

  static final String ACCELERATOR =
      "(has(object.spec.resourceClaims) && size(object.spec.resourceClaims) > 0) || "
          + containers(containerNames(anyOf("r", Accelerators.NAMES, Accelerators.PREFIXES)));

  static final String NO_GANG = "!(" + GANG + ")";

  /** Made by a controller whose pods may be a gang without saying so. */
  private static final String OWNED =
      "has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o,"
          + " has(o.controller) && o.controller && (%s))"
              .formatted(anyOf("o.kind", OwnerInference.CONTROLLERS, Set.of()));

  /** A controller makes it anew when it goes. */
  static final String CONTROLLED =
      "(has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o,"
          + " has(o.controller) && o.controller))";

  static final String OWNED_OR_ACCELERATOR = "(" + OWNED + ") || " + ACCELERATOR;

  static final String GANG_OR_ACCELERATOR = GANG + " || " + ACCELERATOR;

  private MatchExpressions() {}

  /** What holds of every pod that Muster is asked about. */
  static List<String> always(Set<String> schedulers) {
    return List.of(NOT_MIRROR, NOT_BY_A_NODE, NO_NODE_YET, NOT_NATIVE_GANG, served(schedulers));
  }

  /** The same of those whose gang the cluster starts, once its turn in the queue has come. */
  static List<String> ofQueued(Set<String> schedulers) {
    return List.of(NOT_MIRROR, NOT_BY_A_NODE, NO_NODE_YET, IN_ANOTHERS_GROUP, served(schedulers));
  }

  /** Whether the PodGroup that a pod names is Muster's, or else somebody else's. */
  private static String inGroup(boolean isMusters) {
    return "has(object.spec.schedulingGroup.podGroupName)"
        + " && %sobject.spec.schedulingGroup.podGroupName.endsWith('%s')"
            .formatted(isMusters ? "" : "!", NativeGroup.SUFFIX);
  }

  /** All of them, the first that is likely not to hold first. */
  static MatchCondition all(String name, List<String> clauses) {
    var expression = clauses.stream().collect(Collectors.joining(")\n&& (", "(", ")"));
    return new MatchCondition(expression, name);
  }

  /** A pod of another scheduler is let alone, unless it names its gang by Muster's own keys. */
  private static String served(Set<String> schedulers) {
    return ("!has(object.spec.schedulerName) || %s || (has(object.metadata.annotations)"
            + " && object.metadata.annotations.exists(k, %s))")
        .formatted(
            anyOf("object.spec.schedulerName", schedulers, Set.of()),
            anyOf("k", Set.of(), Set.of(GangKeys.PREFIX)));
  }

  /** Whether kube-scheduler asks Muster about the pod: it names such a resource as a whole. */
  static String reachesMuster() {
    var names = new TreeSet<>(Accelerators.NAMES);
    names.add(Accelerators.MARKER);
    return containers(containerNames(anyOf("r", names, Set.of())));
  }

  /** Not typed: the apiserver's checker does not know the quantities of a container. */
  private static String containers(String containerNames) {
    return "(has(object.spec.containers) && dyn(object.spec.containers).exists(c, %s))"
            .formatted(containerNames)
        + " || (has(object.spec.initContainers) && dyn(object.spec.initContainers).exists(c, %s))"
            .formatted(containerNames);
  }

  private static String containerNames(String isOne) {
    return "has(c.resources) && (%s || %s)"
        .formatted(states("limits", isOne), states("requests", isOne));
  }

  private static String states(String kind, String isOne) {
    return "(has(c.resources.%s) && c.resources.%s.exists(r, %s))".formatted(kind, kind, isOne);
  }

  static String anyOf(String variable, Collection<String> names, Collection<String> prefixes) {
    var alternatives = new ArrayList<String>();
    if (!names.isEmpty()) {
      alternatives.add(
          new TreeSet<>(names)
              .stream()
                  .map(name -> "'" + name + "'")
                  .collect(Collectors.joining(", ", variable + " in [", "]")));
    }
    new TreeSet<>(prefixes)
        .forEach(prefix -> alternatives.add(variable + ".startsWith('" + prefix + "')"));
    return String.join(" || ", alternatives);
  }
}
