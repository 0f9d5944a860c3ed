package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Variables of the environment that pods are made with. */
public final class Variables {

  private Variables() {}

  public static EnvVar of(String name, String value) {
    return new EnvVar(name, value, null);
  }

  /** One that says what becomes of the pod, by the path of its field. */
  public static EnvVar ofField(String name, String path) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewFieldRef()
        .withFieldPath(path)
        .endFieldRef()
        .endValueFrom()
        .build();
  }

  /** Adds them behind those that are there: of the same name, the later one wins. */
  public static void add(Container container, List<EnvVar> more) {
    var all = new ArrayList<>(Objects.requireNonNullElse(container.getEnv(), List.<EnvVar>of()));
    all.addAll(more);
    container.setEnv(all);
  }
}
