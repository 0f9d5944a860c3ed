package io.muster.webhook.core;

import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.core.patch.PatchOp;
import io.muster.webhook.core.profile.Overlay;
import io.muster.webhook.core.profile.ProfileRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A pod on its way through the rules: what it is, what it gets, and what is to be said about it.
 * Serves one call; not for sharing.
 */
final class Draft {

  private static final int UNPROCESSABLE = 422;

  /** What etcd takes of an object, by default. */
  private static final long MOST_CHARACTERS = 3L * 512 * 1024;

  private static final int LONGEST_WARNING = 1024;

  private static final String TOO_LONG =
      "what Muster adds to the pod's containers is longer than the 1.5 MiB that the API server"
          + " stores of a pod; use fewer containers, or shorter names of hosts and jobs";

  private final PodFacts facts;
  private final ProfileRules rules;
  private final List<Injectable> containers;
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Map<String, EnvEdits> env = new LinkedHashMap<>();

  /** The steps of the patch but for those of variables, which come last. */
  final PodEdits edits;

  Draft(PodFacts facts, ProfileRules rules) {
    this.facts = facts;
    this.rules = rules;
    this.edits = new PodEdits(facts);
    this.containers = Injectable.of(facts, rules.overlay()::isForeign);
    containers.forEach(container -> env.put(container.path(), new EnvEdits(container)));
    warnings.addAll(rules.problems());
  }

  PodFacts facts() {
    return facts;
  }

  ProfileRules rules() {
    return rules;
  }

  Overlay overlay() {
    return rules.overlay();
  }

  List<Injectable> containers() {
    return containers;
  }

  List<Injectable> containers(Sort sort) {
    return containers.stream().filter(container -> container.sort() == sort).toList();
  }

  EnvEdits env(Injectable container) {
    return env.get(container.path());
  }

  String annotation(String key) {
    return facts.markings().annotations().getOrDefault(key, "");
  }

  /** Whether the pod's user wants this; says so where the answer cannot be read. */
  boolean wants(String key) {
    var word = annotation(key);
    if (!word.isEmpty() && !word.equals("true") && !word.equals("false")) {
      warn("%s is neither \"true\" nor \"false\"; true is used".formatted(key));
    }
    return !word.equals("false");
  }

  /** Whether rules were applied to the pod before: by another call, or to what it was copied of. */
  boolean isStamped() {
    return !annotation(GangKeys.INJECTED).isEmpty();
  }

  /** Says it, cut where it is long: the name of a container may be anything yet. */
  void warn(String sentence) {
    warnings.add(
        sentence.length() > LONGEST_WARNING ? sentence.substring(0, LONGEST_WARNING) : sentence);
  }

  /**
   * Says which variables the container does not get because a ConfigMap or Secret may have them.
   */
  void warnOfEnvFrom(Injectable container, List<String> names) {
    if (!names.isEmpty()) {
      warn(
          "container \"%s\" has envFrom, which may define them: not set are %s"
              .formatted(container.facts().name(), String.join(", ", names)));
    }
  }

  /** Says that nothing is mounted there, because the pod has another volume of that name. */
  void warnOfVolume(String volume, String path) {
    warn(
        "spec.volumes has a \"%s\" of another kind; Muster's is not mounted at %s: rename yours"
            .formatted(volume, path));
  }

  /** The pod with all that it gets, unless that alone is more than is stored of any pod. */
  Admission decided() {
    var allowed = allowed();
    long length = 0;
    for (var step : allowed.patch()) {
      length += step.length();
    }
    return length > MOST_CHARACTERS ? new Admission.Denied(UNPROCESSABLE, TOO_LONG) : allowed;
  }

  private Admission.Allowed allowed() {
    var all = new ArrayList<>(edits.edits());
    var steps = new ArrayList<PatchOp>();
    all.forEach(edit -> steps.add(edit.op()));
    env.values()
        .forEach(variables -> {
          all.addAll(variables.edits());
          variables.step().ifPresent(steps::add);
        });
    return new Admission.Allowed(all, steps, List.copyOf(warnings));
  }
}
