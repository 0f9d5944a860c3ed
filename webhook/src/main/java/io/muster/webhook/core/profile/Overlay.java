package io.muster.webhook.core.profile;

import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Profiles laid over each other, the later one winning, worked out once for all pods that get them.
 * Immutable.
 *
 * @param profiles the default one first
 * @param names of the profiles as they are stamped
 * @param annotations by key
 * @param labels by key
 * @param nodeSelector labels of the nodes that the pod is to be confined to
 * @param resources extended resources by name
 * @param requestsPerDevice cpu and memory for each device
 * @param volumes by name
 * @param mounts by path
 * @param env variables by name, each where the first profile that has it puts it
 * @param capabilities to add
 */
public record Overlay(
    List<Profile> profiles,
    String names,
    SequencedMap<String, From<String>> annotations,
    SequencedMap<String, From<String>> labels,
    SequencedMap<String, From<String>> nodeSelector,
    SequencedMap<String, From<String>> resources,
    SequencedMap<String, From<String>> requestsPerDevice,
    SequencedMap<String, From<Value>> volumes,
    SequencedMap<String, From<Value>> mounts,
    SequencedMap<String, From<EnvVar>> env,
    SequencedMap<String, From<Boolean>> capabilities) {

  /** That of these profiles, in their order. */
  static Overlay of(List<Profile> profiles) {
    return new Overlay(
        List.copyOf(profiles),
        profiles.stream().map(Profile::name).collect(Collectors.joining("+")),
        merged(profiles, profile -> new TreeMap<>(profile.pod().annotations())),
        merged(profiles, profile -> new TreeMap<>(profile.pod().labels())),
        merged(profiles, profile -> new TreeMap<>(profile.pod().nodeSelector())),
        merged(profiles, profile -> new TreeMap<>(profile.containers().resources())),
        merged(profiles, profile -> new TreeMap<>(profile.containers().requestsPerDevice())),
        merged(profiles, profile -> new TreeMap<>(profile.pod().volumes())),
        merged(profiles, profile -> new TreeMap<>(profile.containers().mounts())),
        merged(profiles, Overlay::variables),
        merged(profiles, Overlay::capabilities));
  }

  private static <T> SequencedMap<String, From<T>> merged(
      List<Profile> profiles, Function<Profile, Map<String, T>> part) {
    var merged = new LinkedHashMap<String, From<T>>();
    for (var profile : profiles) {
      part.apply(profile)
          .forEach((key, value) -> merged.put(key, new From<>(profile.name(), value)));
    }
    return Collections.unmodifiableSequencedMap(merged);
  }

  private static Map<String, EnvVar> variables(Profile profile) {
    var byName = new LinkedHashMap<String, EnvVar>();
    profile.containers().env().forEach(variable -> byName.put(variable.name(), variable));
    return byName;
  }

  private static Map<String, Boolean> capabilities(Profile profile) {
    var added = new TreeMap<String, Boolean>();
    profile.containers().capabilities().forEach(name -> added.put(name, true));
    return added;
  }

  /** Whether nothing is put into containers of this name. */
  public boolean isForeign(String container) {
    return profiles.stream()
        .anyMatch(profile -> profile.pod().foreignContainers().contains(container));
  }

  /** What the last profile says that says anything. */
  public <T> Optional<From<T>> last(Function<Profile.ForPod, Optional<T>> part) {
    return profiles.reversed().stream()
        .flatMap(profile ->
            part.apply(profile.pod()).map(value -> new From<>(profile.name(), value)).stream())
        .findFirst();
  }

  /** Bytes of shared memory that a pod may have; empty if no profile gives any. */
  public Optional<From<Long>> shmMaximum() {
    return last(pod -> pod.shmMaximum().stream().boxed().findFirst());
  }

  /** Seconds between the request to end and the end. */
  public Optional<From<Long>> gracePeriodSeconds() {
    return last(pod -> pod.gracePeriodSeconds().stream().boxed().findFirst());
  }
}
