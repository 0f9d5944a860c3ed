package io.muster.webhook.core;

import io.muster.extender.core.cluster.Accelerator.Kind;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Taint;
import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.facts.Amount;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.Profile;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What pods get that ask for accelerators. Stateless. */
final class DeviceDefaults {

  private static final String SHM_PATH = "/dev/shm";

  /** A volume at either is where the user wants shared memory. */
  private static final List<String> SHM_PATHS = List.of(SHM_PATH, "/dev");

  private static final String SHM_VOLUME = "muster-shm";
  private static final Value MEMORY =
      new Value.Fields(Map.of("emptyDir", Value.object("medium", "Memory")));
  private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";
  private static final String NVIDIA = "nvidia.com/gpu";
  private static final BigDecimal HALF = new BigDecimal("0.5");

  /** Sizes are multiples of it, and so written as the apiserver writes them. */
  private static final long MEBIBYTE = 1 << 20;

  private DeviceDefaults() {}

  static void limitAccelerators(Draft draft) {
    draft.edits.by(Rule.LIMITS);
    draft.containers().forEach(draft.edits::limitAccelerators);
  }

  /** Gives the pod the tolerations that its devices need. */
  static void tolerate(Draft draft) {
    var wanted = draft.overlay().last(Profile.ForPod::tolerations);
    if (wanted.isEmpty() || !wanted.get().value() || !draft.wants(InjectionKeys.TOLERATIONS)) {
      return;
    }
    draft.edits.by(Rule.TOLERATIONS, wanted.get().profile());
    for (var key : keysOfTaints(draft)) {
      var taint = new Taint(key, "", Taint.Effect.NO_SCHEDULE);
      var there = draft.facts().pod().demand().tolerations();
      if (there.stream().noneMatch(toleration -> toleration.exists() && toleration.covers(taint))) {
        draft.edits.append(
            "tolerations",
            Value.object("key", key).with("operator", "Exists").with("effect", "NoSchedule"));
      }
    }
  }

  /** Nodes are tainted by the names of their devices; partitions by that of the whole ones too. */
  private static Set<String> keysOfTaints(Draft draft) {
    var keys = new TreeSet<String>();
    draft.containers().stream()
        .flatMap(container -> container.accelerators().stream())
        .filter(name -> name.endsWith(".shared") || isCounted(name))
        .forEach(name -> {
          keys.add(name);
          if (name.startsWith("nvidia.com/mig-") || name.equals(NVIDIA + ".shared")) {
            keys.add(NVIDIA);
          }
        });
    return keys;
  }

  private static boolean isCounted(String name) {
    return Accelerators.kindOf(name).filter(Kind::isCounted).isPresent();
  }

  /** Memory at {@code /dev/shm}, never without a bound: it would take the node's. */
  static void shareMemory(Draft draft) {
    var maximum = draft.overlay().shmMaximum();
    var spec = draft.facts().spec();
    var lacking =
        draft.containers().stream()
            .filter(container -> usesMemory(container) && lacksMemory(draft, container))
            .toList();
    if (maximum.isEmpty()
        || lacking.isEmpty()
        || spec.text("hostIPC").equals("true")
        || !draft.wants(InjectionKeys.SHM)) {
      return;
    }
    if (spec.hasOther(SHM_VOLUME, MEMORY)) {
      draft.warnOfVolume(SHM_VOLUME, SHM_PATH);
      return;
    }
    draft.edits.by(Rule.SHM, maximum.get().profile());
    if (!spec.volumes().containsKey(SHM_VOLUME)) {
      var size = Amount.ofBytes(shmBytes(draft, maximum.get().value()));
      draft.edits.append(
          "volumes",
          Value.object("name", SHM_VOLUME)
              .with("emptyDir", Value.object("medium", "Memory").with("sizeLimit", size)));
    }
    lacking.forEach(container ->
        draft.edits.mount(container, Value.object("name", SHM_VOLUME).with("mountPath", SHM_PATH)));
  }

  private static boolean usesMemory(Injectable container) {
    return container.sort() != Sort.FOREIGN && container.asksForDevices();
  }

  /** Mounts of profiles go into those containers alone that run as long as the pod. */
  private static boolean lacksMemory(Draft draft, Injectable container) {
    return Collections.disjoint(container.facts().mountPaths(), SHM_PATHS)
        && (container.sort() != Sort.DEVICE
            || Collections.disjoint(draft.overlay().mounts().keySet(), SHM_PATHS));
  }

  /**
   * Its pages count towards the memory limit, half of which is left for the rest. An init container
   * needs little of both, and has no say in what the work gets.
   */
  private static long shmBytes(Draft draft, long maximum) {
    var working = draft.containers(Sort.DEVICE);
    var sizing = working.isEmpty() ? draft.containers(Sort.INITIAL) : working;
    return Stream.concat(
            sizing.stream()
                .filter(DeviceDefaults::usesMemory)
                .flatMap(c -> Optional.ofNullable(c.facts().limits().get("memory")).stream()),
            draft.facts().spec().memoryLimit().stream())
        .flatMap(limit -> Amount.of(limit).stream())
        .filter(limit -> limit.signum() > 0)
        .map(limit -> limit.multiply(HALF).min(BigDecimal.valueOf(maximum)).longValue())
        .min(Long::compare)
        .map(bytes -> Math.max(MEBIBYTE, bytes / MEBIBYTE * MEBIBYTE))
        .orElse(maximum);
  }

  /**
   * Keeps devices from containers that ask for none. A privileged one sees them in any case, and
   * would lose the driver alone.
   */
  static void hideDevices(Draft draft) {
    var wanted = draft.overlay().last(Profile.ForPod::hideDevices);
    if (wanted.isEmpty()
        || !wanted.get().value()
        || draft.containers().stream().noneMatch(Injectable::asksNvidia)
        || !draft.wants(InjectionKeys.VISIBLE_DEVICES)) {
      return;
    }
    for (var container : draft.containers()) {
      var env = draft.env(container);
      if (container.sort() == Sort.FOREIGN
          || container.asksForDevices()
          || container.facts().security().privileged()
          || env.has(VISIBLE)) {
        continue;
      }
      if (container.facts().hasEnvFrom()) {
        draft.warnOfEnvFrom(container, List.of(VISIBLE));
      } else {
        env.add(EnvVar.of(VISIBLE, "void"), Rule.VISIBLE_DEVICES, wanted.get().profile());
      }
    }
  }
}
