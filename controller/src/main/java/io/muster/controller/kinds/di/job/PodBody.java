package io.muster.controller.kinds.di.job;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.muster.controller.framework.UnfitPodException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.dialect.DialectKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A pod of a DIJob in the making, from its template. What the template says stays, but for what
 * DI-engine relies on. Confined to one thread.
 */
public final class PodBody {

  /** With the name, an equals sign and the end. */
  private static final int LONGEST_VARIABLE = 128 * 1024 - 2;

  private final DIJob job;
  private final ObjectMeta metadata;
  private final Map<String, String> labels;
  private final Map<String, String> annotations;
  private final PodSpec spec;

  public PodBody(DIJob job, String name, PodTemplateSpec template) {
    this.job = job;
    labels = Marks.labels(template);
    annotations = Marks.annotations(template);
    metadata = Ownership.metadata(job, name);
    spec = new PodSpecBuilder(template.getSpec()).build();
    spec.getContainers().forEach(PodBody::limitDevices);
    addVolumes();
  }

  /** The apiserver takes a device that is asked for only with a limit of the same number. */
  private static void limitDevices(Container container) {
    var resources = container.getResources();
    if (resources == null || resources.getRequests() == null) {
      return;
    }
    var limits =
        new HashMap<>(
            Objects.requireNonNullElse(resources.getLimits(), Map.<String, Quantity>of()));
    resources
        .getRequests()
        .forEach((name, quantity) -> {
          if (name.contains("/")) {
            limits.putIfAbsent(name, quantity);
          }
        });
    resources.setLimits(limits);
  }

  private void addVolumes() {
    var volumes = new ArrayList<>(Objects.requireNonNullElse(spec.getVolumes(), List.<Volume>of()));
    var names = new HashSet<String>();
    volumes.forEach(volume -> names.add(volume.getName()));
    Objects.requireNonNullElse(job.getSpec().volumes(), List.<Volume>of()).stream()
        .filter(volume -> names.add(volume.getName()))
        .forEach(volumes::add);
    spec.setVolumes(volumes);
  }

  public PodSpec spec() {
    return spec;
  }

  public PodBody labelled(Map<String, String> more) {
    labels.putAll(more);
    return this;
  }

  public PodBody annotated(Map<String, String> more) {
    annotations.putAll(more);
    return this;
  }

  /** Makes it a member of the gang, unless its template names one. */
  public PodBody inGang(Map<String, String> terms) {
    var naming = new HashMap<>(annotations);
    naming.keySet().removeAll(GangKeys.CLOSENESS);
    if (!DialectKeys.areIn(new Markings("", labels, naming))) {
      annotations.putAll(terms);
    }
    return this;
  }

  /** Sets variables in all containers; what the template says of the same names does not hold. */
  public PodBody told(List<EnvVar> variables) {
    var names = new HashSet<String>();
    variables.forEach(variable -> names.add(variable.getName()));
    for (var container : spec.getContainers()) {
      var all = new ArrayList<>(Objects.requireNonNullElse(container.getEnv(), List.<EnvVar>of()));
      all.removeIf(variable -> names.contains(variable.getName()));
      all.addAll(variables);
      container.setEnv(all);
    }
    return this;
  }

  public Pod made() {
    metadata.setLabels(labels);
    metadata.setAnnotations(annotations);
    return new PodBuilder().withMetadata(metadata).withSpec(spec).build();
  }

  /** One that Linux would not pass to any process is none. */
  public static EnvVar variable(String name, String value) {
    if (name.length() + value.length() > LONGEST_VARIABLE) {
      throw new UnfitPodException(
          "the variable %s of each pod would have %d bytes, and Linux passes no more than %d to a process; ask for fewer pods, or give the job and its tasks shorter names"
              .formatted(name, value.length(), LONGEST_VARIABLE));
    }
    return new EnvVar(name, value, null);
  }
}
