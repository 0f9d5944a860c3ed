package io.muster.webhook.core.profile;

import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What one pod gets: its profiles laid over each other, the later one winning. Immutable.
 *
 * @param profiles that apply, the default one first
 * @param problems why profiles that the pod names do not apply
 */
public record Rules(List<Profile> profiles, List<String> problems) {

  public Rules {
    profiles = List.copyOf(profiles);
    problems = List.copyOf(problems);
  }

  /** Names of the profiles as they are stamped. */
  public String names() {
    return String.join("+", profiles.stream().map(Profile::name).toList());
  }

  /** Names of containers that nothing is put into. */
  public boolean isForeign(String container) {
    return profiles.stream().anyMatch(p -> p.pod().foreignContainers().contains(container));
  }

  /** Annotations by key. */
  public SequencedMap<String, From<String>> annotations() {
    return texts(profile -> profile.pod().annotations());
  }

  /** Labels by key. */
  public SequencedMap<String, From<String>> labels() {
    return texts(profile -> profile.pod().labels());
  }

  /** Labels of the nodes that the pod is to be confined to. */
  public SequencedMap<String, From<String>> nodeSelector() {
    return texts(profile -> profile.pod().nodeSelector());
  }

  /** Extended resources by name. */
  public SequencedMap<String, From<String>> resources() {
    return texts(profile -> profile.containers().resources());
  }

  /** Cpu and memory for each device. */
  public SequencedMap<String, From<String>> requestsPerDevice() {
    return texts(profile -> profile.containers().requestsPerDevice());
  }

  /** Volumes by name. */
  public SequencedMap<String, From<Value>> volumes() {
    return merged(profile -> new TreeMap<>(profile.pod().volumes()));
  }

  /** Mounts by path. */
  public SequencedMap<String, From<Value>> mounts() {
    return merged(profile -> new TreeMap<>(profile.containers().mounts()));
  }

  /** Variables, each where the first profile that has it puts it. */
  public Collection<From<EnvVar>> env() {
    return Collections.unmodifiableCollection(
        merged(
                profile -> {
                  var byName = new LinkedHashMap<String, EnvVar>();
                  profile
                      .containers()
                      .env()
                      .forEach(variable -> byName.put(variable.name(), variable));
                  return byName;
                })
            .values());
  }

  /** Capabilities to add. */
  public SequencedMap<String, From<Boolean>> capabilities() {
    return merged(profile -> {
      var added = new TreeMap<String, Boolean>();
      profile.containers().capabilities().forEach(name -> added.put(name, true));
      return added;
    });
  }

  /** The same without those profiles for which there is a reason, which becomes a problem. */
  public Rules without(Function<Profile, Optional<String>> reason) {
    var left = new ArrayList<Profile>();
    var reasons = new ArrayList<>(problems);
    for (var profile : profiles) {
      reason.apply(profile).ifPresentOrElse(reasons::add, () -> left.add(profile));
    }
    return left.size() == profiles.size() ? this : new Rules(left, reasons);
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

  private SequencedMap<String, From<String>> texts(Function<Profile, Map<String, String>> part) {
    return merged(profile -> new TreeMap<>(part.apply(profile)));
  }

  private <T> SequencedMap<String, From<T>> merged(Function<Profile, Map<String, T>> part) {
    var merged = new LinkedHashMap<String, From<T>>();
    for (var profile : profiles) {
      part.apply(profile)
          .forEach((key, value) -> merged.put(key, new From<>(profile.name(), value)));
    }
    return merged;
  }
}
