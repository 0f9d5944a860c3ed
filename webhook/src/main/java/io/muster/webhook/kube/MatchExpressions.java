package io.muster.webhook.kube;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The conditions, in CEL, on which the apiserver calls the webhook. An expression that fails counts
 * as a failed call, so every optional field is looked at behind {@code has()}.
 */
final class MatchExpressions {

  /** Static pods, which a kubelet shows to the apiserver: they run already. */
  static final String NOT_MIRROR =
      "!(has(object.metadata.annotations) && 'kubernetes.io/config.mirror' in"
          + " object.metadata.annotations)";

  /** Nothing is left to decide about a pod that states its node; a gate on it is refused. */
  static final String NO_NODE_YET = "!has(object.spec.nodeName) || object.spec.nodeName == ''";

  static final String HAS_GANG_KEY =
      "(has(object.metadata.annotations) && object.metadata.annotations.exists(k, %s))"
              .formatted(anyOf("k", GangKeys.ANNOTATIONS, GangKeys.ANNOTATION_PREFIXES))
          + " || (has(object.metadata.labels) && object.metadata.labels.exists(k, %s))"
              .formatted(anyOf("k", GangKeys.LABELS, Set.of()));

  static final String HAS_NO_GANG_KEY = "!(" + HAS_GANG_KEY + ")";

  static final String ASKS_FOR_ACCELERATOR =
      "(has(object.spec.containers) && object.spec.containers.exists(c, %s))"
              .formatted(containerAsks())
          + " || (has(object.spec.initContainers) && object.spec.initContainers.exists(c, %s))"
              .formatted(containerAsks());

  private MatchExpressions() {}

  private static String containerAsks() {
    var isManaged = anyOf("r", Accelerators.NAMES, Accelerators.PREFIXES);
    return "has(c.resources) && (%s || %s)"
        .formatted(states("limits", isManaged), states("requests", isManaged));
  }

  private static String states(String kind, String isManaged) {
    return "(has(c.resources.%s) && c.resources.%s.exists(r, %s))".formatted(kind, kind, isManaged);
  }

  private static String anyOf(
      String variable, Collection<String> names, Collection<String> prefixes) {
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
