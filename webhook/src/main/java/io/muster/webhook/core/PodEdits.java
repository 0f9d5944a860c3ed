package io.muster.webhook.core;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.PatchOp.Add;
import io.muster.webhook.core.PatchOp.Remove;
import io.muster.webhook.core.PatchOp.Value;
import io.muster.webhook.core.PodFacts.ContainerFacts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The patch of one pod as it grows. A parent that is missing or empty is added before its first
 * child; replacing an empty object by an empty one is harmless. Serves one call; not for sharing.
 */
final class PodEdits {

  private static final String ANNOTATIONS = "/metadata/annotations";
  private static final String GATES = "/spec/schedulingGates";
  private static final String AFFINITY = "/spec/affinity";
  private static final String NODE_AFFINITY = AFFINITY + "/nodeAffinity";
  private static final String REQUIRED =
      NODE_AFFINITY + "/requiredDuringSchedulingIgnoredDuringExecution";
  private static final Value EMPTY_OBJECT = new Value.Members(Map.of());

  private final PodFacts facts;
  private final List<PatchOp> patch = new ArrayList<>();
  private final Set<String> parents = new HashSet<>();

  PodEdits(PodFacts facts) {
    this.facts = facts;
  }

  List<PatchOp> patch() {
    return List.copyOf(patch);
  }

  void annotate(String key, String value) {
    var annotations = facts.markings().annotations();
    if (!value.equals(annotations.get(key))) {
      ensureParent(ANNOTATIONS, !annotations.isEmpty(), EMPTY_OBJECT);
      add(ANNOTATIONS, key, value);
    }
  }

  /** Puts Muster's gate on, or takes it off. */
  void gate(boolean wanted) {
    int position = facts.gates().indexOf(Pod.GATE);
    if (wanted && position < 0) {
      ensureParent(GATES, !facts.gates().isEmpty(), new Value.EmptyArray());
      patch.add(new Add(GATES + "/-", new Value.Members(Map.of("name", Pod.GATE))));
    } else if (!wanted && position >= 0) {
      patch.add(new Remove(GATES + "/" + position));
    }
  }

  /** Ties the pod to these nodes and to no others, or to none. */
  void pin(Optional<Pin> wanted) {
    var pod = facts.pod();
    if (pod.origin().pinning().pin().equals(wanted)) {
      return;
    }
    var terms = wanted.map(pin -> pin.tie(pod.shape())).orElse(pod.shape()).anyOfTerms();
    if (terms.isEmpty()) {
      // A copied manifest may have kept the annotation and lost the tie.
      if (!pod.demand().anyOfTerms().isEmpty()) {
        patch.add(new Remove(REQUIRED));
      }
    } else {
      ensureParent(AFFINITY, facts.affinity().isThere(), EMPTY_OBJECT);
      ensureParent(NODE_AFFINITY, facts.affinity().hasNodeAffinity(), EMPTY_OBJECT);
      patch.add(new Add(REQUIRED, new Value.NodeTerms(terms)));
    }
    wanted.ifPresentOrElse(
        pin -> annotate(GangKeys.PINNED, pin.text()),
        () -> patch.add(new Remove(ANNOTATIONS + "/" + escaped(GangKeys.PINNED))));
  }

  /** Copies requests of accelerators to limits where none is set. */
  void limitAccelerators() {
    limitAccelerators("/spec/initContainers/", facts.initContainers());
    limitAccelerators("/spec/containers/", facts.containers());
  }

  private void limitAccelerators(String path, List<ContainerFacts> containers) {
    for (int i = 0; i < containers.size(); i++) {
      var container = containers.get(i);
      for (var name : new TreeSet<>(container.requests().keySet())) {
        var quantity = container.requests().get(name);
        if (Accelerators.isManaged(name)
            && !container.limits().containsKey(name)
            && !quantity.equals("0")) {
          ensure(path + i, container, "limits", name, quantity);
        }
      }
    }
  }

  /** Makes the marker resource stand in one container: where it is already, else the first. */
  void mark() {
    if (facts.containers().isEmpty()) {
      return;
    }
    int marked = 0;
    for (int i = facts.containers().size() - 1; i >= 0; i--) {
      var container = facts.containers().get(i);
      if (container.requests().containsKey(Accelerators.MARKER)
          || container.limits().containsKey(Accelerators.MARKER)) {
        marked = i;
      }
    }
    var container = facts.containers().get(marked);
    var path = "/spec/containers/" + marked;
    ensure(path, container, "requests", Accelerators.MARKER, "1");
    ensure(path, container, "limits", Accelerators.MARKER, "1");
  }

  private void ensure(
      String path, ContainerFacts container, String kind, String name, String quantity) {
    var stated = kind.equals("limits") ? container.limits() : container.requests();
    if (!quantity.equals(stated.get(name))) {
      ensureParent(path + "/resources", container.hasResources(), EMPTY_OBJECT);
      ensureParent(path + "/resources/" + kind, !stated.isEmpty(), EMPTY_OBJECT);
      add(path + "/resources/" + kind, name, quantity);
    }
  }

  private void ensureParent(String path, boolean exists, Value empty) {
    if (!exists && parents.add(path)) {
      patch.add(new Add(path, empty));
    }
  }

  private void add(String parent, String key, String value) {
    patch.add(new Add(parent + "/" + escaped(key), new Value.Text(value)));
  }

  private static String escaped(String key) {
    return key.replace("~", "~0").replace("/", "~1");
  }
}
