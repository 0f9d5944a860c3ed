package io.muster.webhook.core.facts;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Markings;
import io.muster.webhook.core.patch.EnvList;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A pod that asks to be stored: what it means, and what is written in it where it may be patched.
 * Immutable.
 *
 * @param gates names of its scheduling gates, in their order
 * @param containerCount how many containers and init containers it has
 * @param initContainers none of them where there are more than {@link #MOST_CONTAINERS}
 * @param containers none of them where there are more than {@link #MOST_CONTAINERS}
 * @param inferredOwner the owner whose pods are its gang, where that was inferred
 * @param queue in which the gang of a pod of the cluster's own gang scheduling waits; empty if it
 *     waits in none
 * @param managedFields whether it has {@code metadata.managedFields}, all of which come from
 *     updates: nobody has used server-side apply on it
 */
public record PodFacts(
    Pod pod,
    Markings markings,
    List<String> gates,
    SpecFacts spec,
    int containerCount,
    List<ContainerFacts> initContainers,
    List<ContainerFacts> containers,
    Optional<String> inferredOwner,
    Optional<String> queue,
    boolean managedFields) {

  /** Containers and init containers of a pod that is looked into, in all. */
  public static final int MOST_CONTAINERS = 200;

  public PodFacts {
    gates = List.copyOf(gates);
    initContainers = List.copyOf(initContainers);
    containers = List.copyOf(containers);
  }

  /**
   * What else stands in the pod's {@code spec}.
   *
   * @param filled names of its lists and objects that are not empty
   * @param values its members that are text, numbers or booleans, as text
   * @param volumes by name
   * @param claims its resource claims, in their order
   * @param memoryLimit of the whole pod, as it is written
   * @param resources names of what is requested or limited for the whole pod
   */
  public record SpecFacts(
      Set<String> filled,
      Map<String, String> values,
      Map<String, Value> volumes,
      List<ClaimFacts> claims,
      Optional<String> memoryLimit,
      Set<String> resources) {
    public SpecFacts {
      claims = List.copyOf(claims);
      filled = Set.copyOf(filled);
      values = Map.copyOf(values);
      volumes = Map.copyOf(volumes);
      resources = Set.copyOf(resources);
    }

    /** Whether the pod has a volume of that name which is something else than that. */
    public boolean hasOther(String volume, Value wanted) {
      return volumes.containsKey(volume) && !Value.includes(volumes.get(volume), wanted);
    }

    /** The value of a member, empty text where it has none. */
    public String text(String member) {
      return values.getOrDefault(member, "");
    }
  }

  /**
   * One resource claim.
   *
   * @param template that it is made of; empty if it names a claim that is there
   * @param claim that it names; empty if it is made of a template
   */
  public record ClaimFacts(String name, String template, String claim) {}

  /**
   * One container.
   *
   * @param restartsAlways whether an init container goes on beside the others, as a sidecar
   * @param resources which devices and room it asks for
   * @param hasEnvFrom whether further variables come from ConfigMaps or Secrets
   * @param mountPaths where volumes are mounted, each in its one spelling
   */
  public record ContainerFacts(
      String name,
      boolean restartsAlways,
      ResourceFacts resources,
      EnvList env,
      boolean hasEnvFrom,
      Set<String> mountPaths,
      SecurityFacts security) {
    public ContainerFacts {
      mountPaths = Set.copyOf(mountPaths);
    }

    public Map<String, String> requests() {
      return resources.requests();
    }

    public Map<String, String> limits() {
      return resources.limits();
    }

    /** Where the variable's value comes from; of several of a name the last one counts. */
    public Optional<EnvVar.Source> env(String name) {
      return env.source(name);
    }
  }

  /**
   * What a container asks for.
   *
   * @param isThere whether the object {@code resources} is there at all
   * @param requests quantities as they are written
   * @param limits quantities as they are written
   * @param claims names of the pod's resource claims that it uses
   */
  public record ResourceFacts(
      boolean isThere,
      Map<String, String> requests,
      Map<String, String> limits,
      Set<String> claims) {
    public ResourceFacts {
      claims = Set.copyOf(claims);
      requests = Map.copyOf(requests);
      limits = Map.copyOf(limits);
    }
  }

  /**
   * What a container may do.
   *
   * @param hasContext whether the object {@code securityContext} is there at all
   * @param privileged whether it may do everything, and so sees every device of its node
   * @param hasCapabilities whether the object {@code capabilities} is there at all
   * @param added capabilities that it adds
   */
  public record SecurityFacts(
      boolean hasContext, boolean privileged, boolean hasCapabilities, Set<String> added) {
    public SecurityFacts {
      added = Set.copyOf(added);
    }
  }
}
