package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.controller.port.GangMembers;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which job has which of the gangs that Muster names: jobs of two kinds may be called alike, and a
 * request to make a job larger like another job. A gang is the job's that has pods there, and for a
 * moment that of the one that is making its first, so that two that begin at once never share one.
 * Pods that no job owns have no say. Safe for concurrent use.
 */
public final class GangHolders {

  /** Longer than it takes until those who place gangs have seen a pod that was made. */
  private static final Duration UNTIL_SEEN = Duration.ofMinutes(1);

  private final KubernetesClient client;
  private final GangMembers members;
  private final InstantSource clock;
  private final Set<String> kinds;
  private final Map<GangId, Claim> claims = new HashMap<>();

  /** That a job makes pods of a gang. */
  private record Claim(String job, Instant until) {}

  /**
   * Of all jobs of one process.
   *
   * @param members of gangs, as those know them who place them
   * @param clock that nobody sets
   * @param kinds all that Muster runs
   */
  public GangHolders(
      KubernetesClient client,
      GangMembers members,
      InstantSource clock,
      Collection<Class<? extends HasMetadata>> kinds) {
    this.client = client;
    this.members = members;
    this.clock = clock;
    this.kinds =
        kinds.stream()
            .map(kind -> HasMetadata.getKind(kind) + "." + HasMetadata.getGroup(kind))
            .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * The other job whose gang that is, in words for users; empty if the job may make a member of it
   * now. The API server is asked only where the gang has members, and none of them is the job's.
   *
   * @param pods the job's own
   * @throws KubernetesClientException if it cannot be asked
   */
  public Optional<String> otherThan(HasMetadata job, String gang, List<Pod> pods) {
    var id = new GangId(Dialect.MUSTER, job.getMetadata().getNamespace(), gang);
    var name = called(job.getKind(), job.getMetadata().getName(), job.getApiVersion());
    var last = claim(id, name);
    if (last.filter(name::equals).isPresent() || isAnyIn(pods, gang::equals)) {
      return Optional.empty();
    } else if (last.isPresent()) {
      return last;
    }
    boolean isFree = false;
    try {
      var other = owner(id, name);
      isFree = other.isEmpty();
      return other;
    } finally {
      if (!isFree) {
        release(id);
      }
    }
  }

  /** Claims it unless another has; gives who had, the same job included. */
  private synchronized Optional<String> claim(GangId gang, String job) {
    var now = clock.instant();
    claims.computeIfPresent(gang, (_, last) -> now.isBefore(last.until()) ? last : null);
    var last = Optional.ofNullable(claims.get(gang)).map(Claim::job);
    if (last.isEmpty()) {
      claims.values().removeIf(claim -> !now.isBefore(claim.until()));
    }
    if (last.filter(other -> !other.equals(job)).isEmpty()) {
      claims.put(gang, new Claim(job, now.plus(UNTIL_SEEN)));
    }
    return last;
  }

  private synchronized void release(GangId gang) {
    claims.remove(gang);
  }

  /** A job that was deleted and made again is no other: its pods of before are on their way out. */
  private Optional<String> owner(GangId gang, String job) {
    if (!members.isAnybodyIn(gang).orElse(true)) {
      return Optional.empty();
    }
    return client.pods().inNamespace(gang.namespace()).list().getItems().stream()
        .filter(pod -> isAnyIn(List.of(pod), gang.name()::equals))
        .flatMap(this::jobs)
        .filter(owner -> !owner.equals(job))
        .sorted()
        .findFirst();
  }

  private Stream<String> jobs(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(owner -> kinds.contains(owner.getKind() + "." + group(owner.getApiVersion())))
        .map(owner -> called(owner.getKind(), owner.getName(), owner.getApiVersion()));
  }

  /** Whether one of the pods is a member of such a gang, and goes on. */
  public static boolean isAnyIn(List<Pod> pods, Predicate<String> gang) {
    return pods.stream()
        .filter(pod -> !pod.isMarkedForDeletion() && !PodEnds.hasEnded(pod))
        .flatMap(pod -> Optional.ofNullable(Marks.annotations(pod).get(GangKeys.NAME)).stream())
        .anyMatch(gang);
  }

  private static String called(String kind, String name, String version) {
    return "%s %s of %s".formatted(kind, name, group(version));
  }

  private static String group(String version) {
    return version.substring(0, Math.max(0, version.indexOf('/')));
  }
}
