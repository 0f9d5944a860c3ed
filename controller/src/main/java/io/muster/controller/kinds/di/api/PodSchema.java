package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.muster.controller.api.TemplateSchema.Kept;
import java.util.ArrayList;
import java.util.List;

/**
 * What the API server is told of a pod template of these kinds: containers, and what they mount, so
 * that it can refuse mounts of volumes that are not there. All else is kept as it was written. The
 * sizes bound what it may have to check.
 *
 * @param metadata Labels and annotations of the pod.
 * @param spec The pod, as in any pod template.
 */
@PreserveUnknownFields
record PodSchema(Kept metadata, @Required Pod spec) {

  /**
   * The pod of a template.
   *
   * @param containers Containers of the pod. The one named di-container trains, else the one named
   *     as the role or task, else the first.
   * @param volumes Volumes of the pod, beside those of the job.
   */
  @PreserveUnknownFields
  record Pod(
      @Required @Size(min = 1, max = DiLimits.MOST_CONTAINERS) List<Container> containers,
      @Size(max = DiLimits.MOST_VOLUMES) List<Named> volumes) {}

  /**
   * A container of it.
   *
   * @param volumeMounts Where the container sees which volumes.
   */
  @PreserveUnknownFields
  record Container(@Size(max = DiLimits.MOST_VOLUMES) List<Named> volumeMounts) {}

  /**
   * A volume of it, or where a container sees one.
   *
   * @param name Name of the volume.
   */
  @PreserveUnknownFields
  record Named(@Required @Size(max = DiLimits.LONGEST_LABEL) String name) {}

  /** Volumes of the job itself. */
  static final class Volumes extends ArrayList<Volume> {

    private static final long serialVersionUID = 1;
  }

  /**
   * A volume of the job.
   *
   * @param name Name of the volume, for the mounts of containers.
   * @param hostPath A folder of the node.
   */
  @PreserveUnknownFields
  record Volume(@Required @Size(max = DiLimits.LONGEST_LABEL) String name, HostPath hostPath) {}

  /**
   * A folder of the node as a volume.
   *
   * @param path Path of the folder on the node.
   * @param kind What has to be there, as in any volume of this kind.
   */
  @PreserveUnknownFields
  record HostPath(@Required String path, @JsonProperty("type") String kind) {}
}
