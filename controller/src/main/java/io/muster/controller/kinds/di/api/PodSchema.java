package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
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
 */
@PreserveUnknownFields
record PodSchema(
    @JsonPropertyDescription("Labels and annotations of the pod.") Kept metadata,
    @Required @JsonPropertyDescription("The pod, as in any pod template.") Pod spec) {

  @PreserveUnknownFields
  record Pod(
      @Required
          @Size(min = 1, max = DiLimits.MOST_CONTAINERS)
          @JsonPropertyDescription(
              "Containers of the pod. The one named di-container trains, else the one named as the"
                  + " role or task, else the first.")
          List<Container> containers,
      @Size(max = DiLimits.MOST_VOLUMES)
          @JsonPropertyDescription("Volumes of the pod, beside those of the job.")
          List<Named> volumes) {}

  @PreserveUnknownFields
  record Container(
      @Size(max = DiLimits.MOST_VOLUMES)
          @JsonPropertyDescription("Where the container sees which volumes.")
          List<Named> volumeMounts) {}

  @PreserveUnknownFields
  record Named(
      @Required @Size(max = DiLimits.LONGEST_LABEL) @JsonPropertyDescription("Name of the volume.")
          String name) {}

  /** Volumes of the job itself. */
  static final class Volumes extends ArrayList<Volume> {

    private static final long serialVersionUID = 1;
  }

  @PreserveUnknownFields
  record Volume(
      @Required
          @Size(max = DiLimits.LONGEST_LABEL)
          @JsonPropertyDescription("Name of the volume, for the mounts of containers.")
          String name,
      @JsonPropertyDescription("A folder of the node.") HostPath hostPath) {}

  @PreserveUnknownFields
  record HostPath(
      @Required @JsonPropertyDescription("Path of the folder on the node.") String path,
      @JsonProperty("type")
          @JsonPropertyDescription("What has to be there, as in any volume of this kind.")
          String kind) {}
}
