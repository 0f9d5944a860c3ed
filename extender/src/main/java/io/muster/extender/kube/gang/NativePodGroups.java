package io.muster.extender.kube.gang;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PodGroups of the cluster's own gang scheduling, as Muster writes them: all that it takes for
 * granted of their API stands here.
 */
public final class NativePodGroups {

  public static final String GROUP = "scheduling.k8s.io";

  /** That of Kubernetes 1.36, and of no other. */
  private static final String FIRST = "v1alpha2";

  /** In the order in which one is chosen of those that are served. */
  public static final List<String> VERSIONS = List.of("v1", "v1beta1", "v1alpha3", FIRST);

  public static final String PLURAL = "podgroups";

  /** The label that tells Muster's own from those of others. */
  public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  public static final String MUSTER = "muster";

  /** What the cluster keeps a group by that pods name. */
  public static final String FINALIZER = GROUP + "/podgroup-protection";

  /** Where an object says how many are bound together, as a JSON pointer. */
  public static final String MIN_COUNT = "/spec/schedulingPolicy/gang/minCount";

  /** Where it says which priority its PriorityClass gave it, as a JSON pointer. */
  public static final String PRIORITY = "/spec/priority";

  private NativePodGroups() {}

  /** Whether kube-scheduler refuses members whose priority is not that of their group. */
  public static boolean isPriorityCompared(String version) {
    return !version.equals(FIRST);
  }

  /**
   * The object to be created.
   *
   * @param priorityClass that of all members; empty where they name none, or it does not matter
   */
  public static Map<String, ?> object(
      String version,
      GangId gang,
      int minCount,
      Optional<String> priorityClass,
      Map<String, String> owner) {
    var spec = new LinkedHashMap<String, Object>(spec(minCount));
    priorityClass.ifPresent(name -> spec.put("priorityClassName", name));
    return Map.of(
        "apiVersion",
        GROUP + "/" + version,
        "kind",
        "PodGroup",
        "metadata",
        Map.of(
            "name",
            NativeGroup.nameOf(gang),
            "namespace",
            gang.namespace(),
            "labels",
            Map.of(MANAGED_BY, MUSTER),
            "ownerReferences",
            List.of(owner)),
        "spec",
        spec);
  }

  /** What is stated of how many are bound together. */
  public static Map<String, ?> spec(int minCount) {
    return Map.of("schedulingPolicy", Map.of("gang", Map.of("minCount", minCount)));
  }
}
