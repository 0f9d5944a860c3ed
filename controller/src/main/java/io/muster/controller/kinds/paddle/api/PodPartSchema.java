package io.muster.controller.kinds.paddle.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Required;
import java.util.ArrayList;

/**
 * What the API server is told of parts that go into pods as they are. All else in volumes is kept
 * as it was written, so that fields of later Kubernetes versions reach the pods.
 */
final class PodPartSchema {

  private PodPartSchema() {}

  static final class Volumes extends ArrayList<Volume> {
    private static final long serialVersionUID = 1;
  }

  static final class Mounts extends ArrayList<Mount> {
    private static final long serialVersionUID = 1;
  }

  static final class Secrets extends ArrayList<Secret> {
    private static final long serialVersionUID = 1;
  }

  /**
   * A volume of all pods.
   *
   * @param name Name of the volume, for the mounts.
   */
  @PreserveUnknownFields
  record Volume(@Required String name) {}

  /**
   * Whole: what is not of this form could not be read.
   *
   * @param name Name of the volume.
   * @param mountPath Path in the container.
   * @param subPath Path in the volume.
   * @param subPathExpr The same with variables of the container.
   * @param readOnly Whether nothing may be written there.
   * @param recursiveReadOnly Enabled, IfPossible or Disabled: the same for what is mounted in it.
   * @param mountPropagation Who sees what is mounted in it later.
   */
  record Mount(
      @Required String name,
      @Required String mountPath,
      String subPath,
      String subPathExpr,
      Boolean readOnly,
      String recursiveReadOnly,
      String mountPropagation) {}

  /**
   * By which an image is pulled.
   *
   * @param name Name of the Secret.
   */
  record Secret(String name) {}
}
