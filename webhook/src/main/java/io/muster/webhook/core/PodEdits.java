package io.muster.webhook.core;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.core.facts.PodFacts.ContainerFacts;
import io.muster.webhook.core.patch.PatchOp;
import io.muster.webhook.core.patch.PatchOp.Add;
import io.muster.webhook.core.patch.PatchOp.Remove;
import io.muster.webhook.core.patch.PatchOp.Replace;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.Profile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The patch of one pod as it grows. A parent that is missing or empty is added before its first
 * child; replacing an empty object by an empty one is harmless. Serves one call; not for sharing.
 */
final class PodEdits {

  private static final String ANNOTATIONS = "/metadata/annotations";
  private static final String MANAGED_FIELDS = "/metadata/managedFields";
  private static final String LABELS = "/metadata/labels";
  private static final String GATES = "/spec/schedulingGates";
  private static final String AFFINITY = "/spec/affinity";
  private static final String NODE_AFFINITY = AFFINITY + "/nodeAffinity";
  private static final String REQUIRED =
      NODE_AFFINITY + "/requiredDuringSchedulingIgnoredDuringExecution";

  private final PodFacts facts;
  private final List<Edit> marks = new ArrayList<>();
  private final List<Edit> rest = new ArrayList<>();
  private final Set<String> parents = new HashSet<>();
  private Rule rule = Rule.STAMP;
  private String profile = Profile.DEFAULT;

  PodEdits(PodFacts facts) {
    this.facts = facts;
  }

  /** What follows is asked for by this rule of this profile. */
  PodEdits by(Rule newRule, String newProfile) {
    rule = newRule;
    profile = newProfile;
    return this;
  }

  /** What follows is asked for by this rule, whatever the profile. */
  PodEdits by(Rule newRule) {
    return by(newRule, Profile.DEFAULT);
  }

  /** The steps so far: what marks the pod and holds or ties it, then everything else. */
  List<Edit> edits() {
    var all = new ArrayList<>(marks);
    all.addAll(rest);
    return all;
  }

  void annotate(String key, String value) {
    var annotations = facts.markings().annotations();
    if (!value.equals(annotations.get(key))) {
      ensureParent(ANNOTATIONS, !annotations.isEmpty(), Value.EMPTY_OBJECT);
      add(ANNOTATIONS, key, new Value.Text(value));
    }
  }

  void removeAnnotation(String key) {
    if (facts.markings().annotations().containsKey(key)) {
      step(new Remove(ANNOTATIONS + "/" + PatchOp.escaped(key)));
    }
  }

  void label(String key, String value) {
    var labels = facts.markings().labels();
    if (!value.equals(labels.get(key))) {
      ensureParent(LABELS, !labels.isEmpty(), Value.EMPTY_OBJECT);
      add(LABELS, key, new Value.Text(value));
    }
  }

  void removeLabel(String key) {
    if (facts.markings().labels().containsKey(key)) {
      step(new Remove(LABELS + "/" + PatchOp.escaped(key)));
    }
  }

  /** Sets a member of the spec that is no list and no object. */
  void set(String member, Value value) {
    step(new Add("/spec/" + member, value));
  }

  void unset(String member) {
    if (facts.spec().values().containsKey(member)) {
      step(new Remove("/spec/" + member));
    }
  }

  /** Puts one more into a list of the spec. */
  void append(String list, Value value) {
    ensureParent("/spec/" + list, facts.spec().filled().contains(list), Value.EMPTY_ARRAY);
    step(new Add("/spec/" + list + "/-", value));
  }

  /** Makes sure that the pod has a claim of that name, made of that template. */
  void claim(String name, String template) {
    var claim = Value.object("name", name).with("resourceClaimTemplateName", template);
    var there = facts.spec().claims();
    for (int i = 0; i < there.size(); i++) {
      if (there.get(i).name().equals(name)) {
        if (!there.get(i).template().equals(template)) {
          step(new Replace("/spec/resourceClaims/" + i, claim));
        }
        return;
      }
    }
    append("resourceClaims", claim);
  }

  /** Puts a pod that is in no PodGroup into that one. */
  void group(String name) {
    step(new Add("/spec/schedulingGroup", Value.object("podGroupName", name)));
  }

  /** Makes sure that the container uses the pod's claim of that name. */
  void useClaim(Injectable container, String name) {
    var there = container.facts().resources();
    if (!there.claims().contains(name)) {
      var path = container.path() + "/resources";
      ensureParent(path, there.isThere(), Value.EMPTY_OBJECT);
      ensureParent(path + "/claims", !there.claims().isEmpty(), Value.EMPTY_ARRAY);
      step(new Add(path + "/claims/-", Value.object("name", name)));
    }
  }

  void selectNodes(String key, String value) {
    ensureParent(
        "/spec/nodeSelector", facts.spec().filled().contains("nodeSelector"), Value.EMPTY_OBJECT);
    add("/spec/nodeSelector", key, new Value.Text(value));
  }

  /** Puts Muster's gate on, or takes it off. */
  void gate(boolean wanted) {
    int position = facts.gates().indexOf(Pod.GATE);
    if (wanted && position < 0) {
      ensureParent(GATES, !facts.gates().isEmpty(), Value.EMPTY_ARRAY);
      step(new Add(GATES + "/-", Value.object("name", Pod.GATE)));
    } else if (!wanted && position >= 0) {
      step(new Remove(GATES + "/" + position));
    }
  }

  /** Takes away node affinity of Muster's that a copied manifest has kept. */
  void unpin() {
    removeAnnotation(GangKeys.SEGMENT);
    removeAnnotation(GangKeys.DOMAIN);
    var pod = facts.pod();
    if (pod.origin().pinning().pin().isEmpty()) {
      return;
    }
    var terms = pod.shape().anyOfTerms();
    if (!terms.isEmpty()) {
      step(new Add(REQUIRED, new Value.NodeTerms(terms)));
    } else if (!pod.demand().anyOfTerms().isEmpty()) {
      // A copied manifest may have kept the annotation and lost the affinity.
      step(new Remove(REQUIRED));
    }
    removeAnnotation(GangKeys.PINNED);
  }

  /** Has the API server store the pod without a record of who set which field, now and later. */
  void dropManagedFields() {
    if (facts.managedFields()) {
      step(new Remove(MANAGED_FIELDS));
    }
  }

  /** Copies requests of accelerators to limits where none is set. */
  void limitAccelerators(Injectable container) {
    var asked = container.facts().requests();
    for (var name : new TreeSet<>(asked.keySet())) {
      if (Accelerators.isManaged(name)
          && !container.facts().limits().containsKey(name)
          && !asked.get(name).equals("0")) {
        limit(container, name, asked.get(name));
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

  void request(Injectable container, String name, String quantity) {
    ensure(container.path(), container.facts(), "requests", name, quantity);
  }

  void limit(Injectable container, String name, String quantity) {
    ensure(container.path(), container.facts(), "limits", name, quantity);
  }

  void mount(Injectable container, Value mount) {
    var path = container.path() + "/volumeMounts";
    ensureParent(path, !container.facts().mountPaths().isEmpty(), Value.EMPTY_ARRAY);
    step(new Add(path + "/-", mount));
  }

  void addCapability(Injectable container, String name) {
    var path = container.path() + "/securityContext";
    var there = container.facts().security();
    ensureParent(path, there.hasContext(), Value.EMPTY_OBJECT);
    ensureParent(path + "/capabilities", there.hasCapabilities(), Value.EMPTY_OBJECT);
    ensureParent(path + "/capabilities/add", !there.added().isEmpty(), Value.EMPTY_ARRAY);
    step(new Add(path + "/capabilities/add/-", new Value.Text(name)));
  }

  private void ensure(
      String path, ContainerFacts container, String kind, String name, String quantity) {
    var stated = kind.equals("limits") ? container.limits() : container.requests();
    if (!quantity.equals(stated.get(name))) {
      ensureParent(path + "/resources", container.resources().isThere(), Value.EMPTY_OBJECT);
      ensureParent(path + "/resources/" + kind, !stated.isEmpty(), Value.EMPTY_OBJECT);
      add(path + "/resources/" + kind, name, new Value.Text(quantity));
    }
  }

  private void ensureParent(String path, boolean exists, Value empty) {
    if (!exists && parents.add(path)) {
      step(new Add(path, empty));
    }
  }

  private void add(String parent, String key, Value value) {
    step(new Add(parent + "/" + PatchOp.escaped(key), value));
  }

  private void step(PatchOp op) {
    boolean isMark =
        op.path().startsWith("/metadata/")
            || op.path().startsWith(GATES)
            || op.path().startsWith(AFFINITY);
    (isMark ? marks : rest).add(new Edit(op, rule, profile));
  }
}
