package io.muster.webhook.core.profile;

import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import java.util.Collection;
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
 */
public final class Overlay {

  private final List<Profile> profiles;
  private final String names;
  private final SequencedMap<String, From<String>> annotations;
  private final SequencedMap<String, From<String>> labels;
  private final SequencedMap<String, From<String>> nodeSelector;
  private final SequencedMap<String, From<String>> resources;
  private final SequencedMap<String, From<String>> requestsPerDevice;
  private final SequencedMap<String, From<Value>> volumes;
  private final SequencedMap<String, From<Value>> mounts;
  private final SequencedMap<String, From<EnvVar>> env;
  private final SequencedMap<String, From<Boolean>> capabilities;

  Overlay(List<Profile> profiles) {
    this.profiles = List.copyOf(profiles);
    this.names = profiles.stream().map(Profile::name).collect(Collectors.joining("+"));
    this.annotations = merged(profile -> new TreeMap<>(profile.pod().annotations()));
    this.labels = merged(profile -> new TreeMap<>(profile.pod().labels()));
    this.nodeSelector = merged(profile -> new TreeMap<>(profile.pod().nodeSelector()));
    this.resources = merged(profile -> new TreeMap<>(profile.containers().resources()));
    this.requestsPerDevice =
        merged(profile -> new TreeMap<>(profile.containers().requestsPerDevice()));
    this.volumes = merged(profile -> new TreeMap<>(profile.pod().volumes()));
    this.mounts = merged(profile -> new TreeMap<>(profile.containers().mounts()));
    this.env = merged(Overlay::variables);
    this.capabilities = merged(Overlay::capabilities);
  }

  private <T> SequencedMap<String, From<T>> merged(Function<Profile, Map<String, T>> part) {
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

  /** The default one first. */
  public List<Profile> profiles() {
    return profiles;
  }

  /** Names of the profiles as they are stamped. */
  public String names() {
    return names;
  }

  /** Whether nothing is put into containers of this name. */
  public boolean isForeign(String container) {
    for (var profile : profiles) {
      if (profile.pod().foreignContainers().contains(container)) {
        return true;
      }
    }
    return false;
  }

  /** Annotations by key. */
  public SequencedMap<String, From<String>> annotations() {
    return annotations;
  }

  /** Labels by key. */
  public SequencedMap<String, From<String>> labels() {
    return labels;
  }

  /** Labels of the nodes that the pod is to be confined to. */
  public SequencedMap<String, From<String>> nodeSelector() {
    return nodeSelector;
  }

  /** Extended resources by name. */
  public SequencedMap<String, From<String>> resources() {
    return resources;
  }

  /** Cpu and memory for each device. */
  public SequencedMap<String, From<String>> requestsPerDevice() {
    return requestsPerDevice;
  }

  /** Volumes by name. */
  public SequencedMap<String, From<Value>> volumes() {
    return volumes;
  }

  /** Mounts by path. */
  public SequencedMap<String, From<Value>> mounts() {
    return mounts;
  }

  /** Variables, each where the first profile that has it puts it. */
  public Collection<From<EnvVar>> env() {
    return env.values();
  }

  /** Capabilities to add. */
  public SequencedMap<String, From<Boolean>> capabilities() {
    return capabilities;
  }

  /** What the last profile says that says anything. */
  public <T> Optional<From<T>> last(Function<Profile.ForPod, Optional<T>> part) {
    for (var profile : profiles.reversed()) {
      var value = part.apply(profile.pod());
      if (value.isPresent()) {
        return Optional.of(new From<>(profile.name(), value.get()));
      }
    }
    return Optional.empty();
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
