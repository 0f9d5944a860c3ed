package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
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

  @PreserveUnknownFields
  record Volume(
      @Required @JsonPropertyDescription("Name of the volume, for the mounts.") String name) {}

  /** Whole: what is not of this form could not be read. */
  record Mount(
      @Required @JsonPropertyDescription("Name of the volume.") String name,
      @Required @JsonPropertyDescription("Path in the container.") String mountPath,
      @JsonPropertyDescription("Path in the volume.") String subPath,
      @JsonPropertyDescription("The same with variables of the container.") String subPathExpr,
      @JsonPropertyDescription("Whether nothing may be written there.") Boolean readOnly,
      @JsonPropertyDescription(
              "Enabled, IfPossible or Disabled: the same for what is mounted in it.")
          String recursiveReadOnly,
      @JsonPropertyDescription("Who sees what is mounted in it later.") String mountPropagation) {}

  record Secret(@JsonPropertyDescription("Name of the Secret.") String name) {}
}
