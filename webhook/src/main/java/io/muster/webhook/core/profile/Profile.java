package io.muster.webhook.core.profile;

import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a platform team says that some pods get, and which ones. Nothing in it wins over what a
 * pod's user has written. Immutable.
 *
 * @param match pods that get it unasked; empty: only those that name it
 * @param optional whether it is left out, instead of the pod refused, where its namespace forbids
 *     the capabilities
 */
public record Profile(
    String name, Optional<Match> match, boolean optional, ForPod pod, ForContainers containers) {

  /** The profile that every pod gets. */
  public static final String DEFAULT = "default";

  /**
   * Which pods a profile is for: all that is stated must hold.
   *
   * @param podLabels labels of the pod
   * @param namespaces names of namespaces; empty: any
   * @param nodeSelector labels of nodes that the pod must be confined to, by its node selector or
   *     its required affinity, also where it names the profile
   * @param resourceClaims whether the pod must have a resource claim, also where it names the
   *     profile
   */
  public record Match(
      Map<String, String> podLabels,
      Set<String> namespaces,
      Map<String, String> nodeSelector,
      boolean resourceClaims) {
    public Match {
      podLabels = Map.copyOf(podLabels);
      namespaces = Set.copyOf(namespaces);
      nodeSelector = Map.copyOf(nodeSelector);
    }
  }

  /**
   * What the pod as a whole gets.
   *
   * @param volumes by name, as core/v1 writes them
   * @param tolerations whether taints for the devices asked for are tolerated
   * @param hideDevices whether containers that ask for no device see none
   * @param gracePeriodSeconds in place of the 30 of the API; a user's other value stays
   * @param priorityClassName where the pod has none
   * @param runtimeClassName where the pod has none
   * @param shmMaximum bytes of shared memory that a pod may have
   * @param foreignContainers names of containers that belong to the infrastructure: nothing is put
   *     into them
   */
  public record ForPod(
      Map<String, String> annotations,
      Map<String, String> labels,
      Map<String, String> nodeSelector,
      Map<String, Value> volumes,
      Optional<Boolean> tolerations,
      Optional<Boolean> hideDevices,
      OptionalLong gracePeriodSeconds,
      Optional<String> priorityClassName,
      Optional<String> runtimeClassName,
      OptionalLong shmMaximum,
      Set<String> foreignContainers) {
    public ForPod {
      annotations = Map.copyOf(annotations);
      labels = Map.copyOf(labels);
      nodeSelector = Map.copyOf(nodeSelector);
      volumes = Map.copyOf(volumes);
      foreignContainers = Set.copyOf(foreignContainers);
    }
  }

  /**
   * What each container that asks for devices gets.
   *
   * @param env in this order
   * @param mounts by path, as core/v1 writes them
   * @param resources extended resources, as requests and limits
   * @param requestsPerDevice cpu and memory to request for each device, where neither is stated
   * @param capabilities to add
   */
  public record ForContainers(
      List<EnvVar> env,
      Map<String, Value> mounts,
      Map<String, String> resources,
      Map<String, String> requestsPerDevice,
      Set<String> capabilities) {
    public ForContainers {
      env = List.copyOf(env);
      mounts = Map.copyOf(mounts);
      resources = Map.copyOf(resources);
      requestsPerDevice = Map.copyOf(requestsPerDevice);
      capabilities = Set.copyOf(capabilities);
    }
  }

  /** All that the profile says, in one order, so that equal profiles give equal text. */
  String canonical() {
    return List.of(
            name,
            match
                .map(m ->
                    List.of(
                        new TreeMap<>(m.podLabels()),
                        new TreeSet<>(m.namespaces()),
                        new TreeMap<>(m.nodeSelector()),
                        m.resourceClaims()))
                .map(Object::toString)
                .orElse("-"),
            optional,
            new TreeMap<>(pod.annotations()),
            new TreeMap<>(pod.labels()),
            new TreeMap<>(pod.nodeSelector()),
            new TreeMap<>(pod.volumes()),
            pod.tolerations(),
            pod.hideDevices(),
            pod.gracePeriodSeconds(),
            pod.priorityClassName(),
            pod.runtimeClassName(),
            pod.shmMaximum(),
            new TreeSet<>(pod.foreignContainers()),
            containers.env(),
            new TreeMap<>(containers.mounts()),
            new TreeMap<>(containers.resources()),
            new TreeMap<>(containers.requestsPerDevice()),
            new TreeSet<>(containers.capabilities()))
        .toString();
  }
}
