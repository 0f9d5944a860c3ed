package io.muster.webhook.core;

import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.facts.Amount;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.From;
import io.muster.webhook.core.profile.Profile;
import java.math.BigDecimal;
import java.util.ArrayList;

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
    draft
        .overlay()
        .annotations()
        .forEach((key, text) -> {
          if (!markings.annotations().containsKey(key)) {
            draft.edits.by(Rule.PROFILE, text.profile()).annotate(key, text.value());
          }
        });
    draft
        .overlay()
        .labels()
        .forEach((key, text) -> {
          if (!markings.labels().containsKey(key)) {
            draft.edits.by(Rule.PROFILE, text.profile()).label(key, text.value());
          }
        });
  }

  /** Says how the pod is scheduled and run. */
  static void schedule(Draft draft) {
    var stated = draft.facts().pod().demand().nodeSelector();
    draft
        .overlay()
        .nodeSelector()
        .forEach((key, text) -> {
          if (!stated.containsKey(key)) {
            draft.edits.by(Rule.PROFILE, text.profile()).selectNodes(key, text.value());
          }
        });
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
    draft
        .overlay()
        .volumes()
        .forEach((name, volume) -> {
          if (!draft.facts().spec().volumes().contains(name)) {
            draft.edits.by(Rule.PROFILE, volume.profile()).append("volumes", volume.value());
          }
        });
    for (var container : draft.containers(Sort.DEVICE)) {
      draft
          .overlay()
          .mounts()
          .forEach((path, mount) -> {
            if (!container.facts().mountPaths().contains(path)) {
              draft.edits.by(Rule.PROFILE, mount.profile()).mount(container, mount.value());
            }
          });
    }
  }

  /** Adds resources and capabilities. */
  static void equip(Draft draft) {
    for (var container : draft.containers(Sort.DEVICE)) {
      for (var entry : draft.overlay().resources().entrySet()) {
        var name = entry.getKey();
        var quantity = entry.getValue();
        if (isUnstated(container, name)) {
          draft.edits.by(Rule.PROFILE, quantity.profile());
          draft.edits.request(container, name, quantity.value());
          draft.edits.limit(container, name, quantity.value());
        }
      }
      requestPerDevice(draft, container);
      draft
          .overlay()
          .capabilities()
          .forEach((name, wanted) -> {
            if (!container.facts().security().added().contains(name)) {
              draft.edits.by(Rule.PROFILE, wanted.profile()).addCapability(container, name);
            }
          });
    }
  }

  /** Requests alone: a limit of cpu slows data loaders down. */
  private static void requestPerDevice(Draft draft, Injectable container) {
    var devices = BigDecimal.valueOf(container.devices());
    for (var entry : draft.overlay().requestsPerDevice().entrySet()) {
      var name = entry.getKey();
      if (devices.signum() > 0 && isUnstated(container, name)) {
        var total = Amount.of(entry.getValue().value()).orElseThrow().multiply(devices);
        var text =
            name.equals("memory")
                ? Amount.ofBytes(total.longValue())
                : total.stripTrailingZeros().toPlainString();
        draft.edits.by(Rule.PROFILE, entry.getValue().profile()).request(container, name, text);
      }
    }
  }

  private static boolean isUnstated(Injectable container, String resource) {
    return !container.facts().requests().containsKey(resource)
        && !container.facts().limits().containsKey(resource);
  }

  static void communicate(Draft draft) {
    if (!draft.wants(InjectionKeys.NCCL)) {
      return;
    }
    for (var container : draft.containers(Sort.DEVICE)) {
      var skipped = new ArrayList<String>();
      for (var variable : draft.overlay().env()) {
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
