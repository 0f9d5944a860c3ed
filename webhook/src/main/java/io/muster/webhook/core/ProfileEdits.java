package io.muster.webhook.core;

import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.facts.Amount;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.From;
import io.muster.webhook.core.profile.Profile;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Carries out what profiles say, wherever the pod's user has said nothing. The same for all pods
 * with the same marks, so that members of a role stay alike. Stateless.
 */
final class ProfileEdits {

  /** What the API fills in before Muster is asked, so that it cannot be told from a choice. */
  private static final String API_GRACE_SECONDS = "30";

  private ProfileEdits() {}

  static void markPod(Draft draft) {
    var markings = draft.facts().markings();
    var overlay = draft.overlay();
    addTo(draft, markings.annotations().keySet(), overlay.annotations(), draft.edits::annotate);
    addTo(draft, markings.labels().keySet(), overlay.labels(), draft.edits::label);
  }

  /** Makes the edit for each that the pod does not have yet, by the profile that wants it. */
  private static <T> void addTo(
      Draft draft, Set<String> there, Map<String, From<T>> wanted, BiConsumer<String, T> edit) {
    wanted.forEach((name, from) -> {
      if (!there.contains(name)) {
        draft.edits.by(Rule.PROFILE, from.profile());
        edit.accept(name, from.value());
      }
    });
  }

  /** Says how the pod is scheduled and run. */
  static void schedule(Draft draft) {
    var stated = draft.facts().pod().demand().nodeSelector();
    addTo(draft, stated.keySet(), draft.overlay().nodeSelector(), draft.edits::selectNodes);
    draft
        .overlay()
        .last(Profile.ForPod::priorityClassName)
        .filter(_ -> isUnset(draft, "priorityClassName"))
        .ifPresent(name -> prioritise(draft, name));
    draft
        .overlay()
        .last(Profile.ForPod::runtimeClassName)
        .filter(_ -> isUnset(draft, "runtimeClassName"))
        .ifPresent(name -> set(draft, "runtimeClassName", name));
    draft
        .overlay()
        .gracePeriodSeconds()
        .filter(_ -> isDefaultGrace(draft))
        .ifPresent(seconds ->
            draft
                .edits
                .by(Rule.PROFILE, seconds.profile())
                .set("terminationGracePeriodSeconds", new Value.Whole(seconds.value())));
  }

  /** The apiserver computes these again, and refuses values that differ from the class. */
  private static void prioritise(Draft draft, From<String> name) {
    set(draft, "priorityClassName", name);
    draft.edits.unset("priority");
    draft.edits.unset("preemptionPolicy");
  }

  private static void set(Draft draft, String member, From<String> text) {
    draft.edits.by(Rule.PROFILE, text.profile()).set(member, new Value.Text(text.value()));
  }

  private static boolean isUnset(Draft draft, String member) {
    return draft.facts().spec().text(member).isEmpty();
  }

  private static boolean isDefaultGrace(Draft draft) {
    var stated = draft.facts().spec().text("terminationGracePeriodSeconds");
    return stated.isEmpty() || stated.equals(API_GRACE_SECONDS);
  }

  static void mountVolumes(Draft draft) {
    if (draft.containers(Sort.DEVICE).isEmpty()) {
      return;
    }
    addTo(
        draft,
        draft.facts().spec().volumes().keySet(),
        draft.overlay().volumes(),
        (_, volume) -> draft.edits.append("volumes", volume));
    for (var container : draft.containers(Sort.DEVICE)) {
      addTo(
          draft,
          container.facts().mountPaths(),
          draft.overlay().mounts(),
          (path, mount) -> mount(draft, container, path, mount));
    }
  }

  /** Not what the pod's user has made of the name of the volume. */
  private static void mount(Draft draft, Injectable container, String path, Value mount) {
    for (var volume : draft.overlay().volumes().entrySet()) {
      if (Value.includes(mount, Value.object("name", volume.getKey()))
          && draft.facts().spec().hasOther(volume.getKey(), volume.getValue().value())) {
        draft.warnOfVolume(volume.getKey(), path);
        return;
      }
    }
    draft.edits.mount(container, mount);
  }

  /** Adds resources and capabilities. */
  static void equip(Draft draft) {
    for (var container : draft.containers(Sort.DEVICE)) {
      for (var entry : draft.overlay().resources().entrySet()) {
        var name = entry.getKey();
        var quantity = entry.getValue();
        if (isUnstated(draft, container, name)) {
          draft.edits.by(Rule.PROFILE, quantity.profile());
          draft.edits.request(container, name, quantity.value());
          draft.edits.limit(container, name, quantity.value());
        }
      }
      requestPerDevice(draft, container);
      addTo(
          draft,
          container.facts().security().added(),
          draft.overlay().capabilities(),
          (name, _) -> draft.edits.addCapability(container, name));
    }
  }

  /** Requests alone: a limit of cpu slows data loaders down. */
  private static void requestPerDevice(Draft draft, Injectable container) {
    var devices = BigDecimal.valueOf(container.devices());
    for (var entry : draft.overlay().requestsPerDevice().entrySet()) {
      var name = entry.getKey();
      if (devices.signum() > 0 && isUnstated(draft, container, name)) {
        var total = Amount.of(entry.getValue().value()).orElseThrow().multiply(devices);
        var text =
            name.equals("memory")
                ? Amount.ofBytes(total.longValue())
                : total.stripTrailingZeros().toPlainString();
        draft.edits.by(Rule.PROFILE, entry.getValue().profile()).request(container, name, text);
      }
    }
  }

  /** What is stated for the pod as a whole bounds what its containers may ask for together. */
  private static boolean isUnstated(Draft draft, Injectable container, String resource) {
    return !draft.facts().spec().resources().contains(resource)
        && !container.facts().requests().containsKey(resource)
        && !container.facts().limits().containsKey(resource);
  }

  static void communicate(Draft draft) {
    if (!draft.wants(InjectionKeys.NCCL)) {
      return;
    }
    for (var container : draft.containers(Sort.DEVICE)) {
      var skipped = new ArrayList<String>();
      for (var variable : draft.overlay().env().values()) {
        var env = draft.env(container);
        if (env.has(variable.value().name())) {
          continue;
        }
        if (container.facts().hasEnvFrom()) {
          skipped.add(variable.value().name());
        } else {
          env.add(variable.value(), Rule.COMMUNICATION, variable.profile());
        }
      }
      draft.warnOfEnvFrom(container, skipped);
    }
  }
}
