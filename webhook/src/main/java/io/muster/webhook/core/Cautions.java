package io.muster.webhook.core;

import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.Hints;
import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.EnvVar.Literal;
import io.muster.webhook.core.rendezvous.RendezvousProfile;
import java.util.Map;
import java.util.Optional;

/** Warns about what is stored as it is and will hurt later. Stateless. */
final class Cautions {

  private static final String ISTIO = "sidecar.istio.io/inject";
  private static final Map<String, String> IDLE_NAMES =
      Map.of(
          "NCCL_TIMEOUT",
          "has no effect; use init_process_group(timeout=...) instead",
          "NCCL_ASYNC_ERROR_HANDLING",
          "is an old name; PyTorch reads TORCH_NCCL_ASYNC_ERROR_HANDLING",
          "NCCL_BLOCKING_WAIT",
          "is an old name; PyTorch reads TORCH_NCCL_BLOCKING_WAIT");

  private Cautions() {}

  /** About any pod. */
  static void aboutPod(Draft draft) {
    Hints.faults(draft.facts().markings()).forEach(draft::warn);
    boolean inInitial =
        draft.containers(Sort.INITIAL).stream().anyMatch(c -> !c.accelerators().isEmpty());
    if (inInitial && draft.containers(Sort.DEVICE).isEmpty()) {
      draft.warn(
          "only init containers ask for devices; they are held, and idle, as long as the pod runs");
    }
    for (var container : draft.containers()) {
      if (container.sort() == Sort.FOREIGN) {
        continue;
      }
      for (var entry : container.facts().env().entries()) {
        aboutVariable(draft, container, entry.variable());
      }
    }
  }

  private static void aboutVariable(Draft draft, Injectable container, EnvVar variable) {
    var name = variable.name();
    if (IDLE_NAMES.containsKey(name)) {
      warn(draft, container, name + " " + IDLE_NAMES.get(name));
    }
    if (name.equals("NVIDIA_VISIBLE_DEVICES")
        && variable.source().equals(new Literal("all"))
        && container.accelerators().isEmpty()
        && !container.facts().security().privileged()) {
      warn(draft, container, name + "=all shows it devices that it does not ask for");
    }
  }

  /** About a member of a gang. */
  static void aboutMember(
      Draft draft,
      Terms.Usable terms,
      RendezvousProfile profile,
      Map<String, String> namespaceLabels) {
    boolean isElastic = profile.isElastic() || terms.totalMembers() > terms.minAvailable();
    if (isElastic && draft.facts().spec().text("restartPolicy").equals("Always")) {
      draft.warn(
          "spec.restartPolicy: Always restarts members of an elastic gang unseen; use Never or"
              + " OnFailure");
    }
    if (isElastic) {
      aboutHungRanks(draft);
    }
    if (getsIstio(draft, namespaceLabels)) {
      draft.warn("Istio's proxy breaks connections of NCCL; set label " + ISTIO + ": \"false\"");
    }
  }

  private static void aboutHungRanks(Draft draft) {
    for (var container : draft.containers(Sort.DEVICE)) {
      var handling = container.facts().env("TORCH_NCCL_ASYNC_ERROR_HANDLING");
      if (handling.equals(Optional.of(new Literal("0")))
          || handling.equals(Optional.of(new Literal("2")))) {
        warn(
            draft,
            container,
            "TORCH_NCCL_ASYNC_ERROR_HANDLING of 0 or 2 leaves hung processes on devices; use 3");
      }
    }
  }

  private static boolean getsIstio(Draft draft, Map<String, String> namespaceLabels) {
    var labels = draft.facts().markings().labels();
    var word = labels.getOrDefault(ISTIO, draft.annotation(ISTIO));
    return word.isEmpty()
        ? "enabled".equals(namespaceLabels.get("istio-injection"))
        : word.equals("true");
  }

  private static void warn(Draft draft, Injectable container, String sentence) {
    draft.warn("container \"%s\": %s".formatted(container.facts().name(), sentence));
  }
}
