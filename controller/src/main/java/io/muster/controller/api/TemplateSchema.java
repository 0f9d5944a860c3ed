package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/**
 * What the API server is told of a pod template: that there are containers. All else is kept as it
 * was written, so that fields of later Kubernetes versions reach the pods.
 */
@PreserveUnknownFields
public record TemplateSchema(
    @JsonPropertyDescription("Labels and annotations of the pod.") Kept metadata,
    @Required @JsonPropertyDescription("The pod, as in any pod template.") Pod spec) {

  @PreserveUnknownFields
  public record Kept() {}

  @PreserveUnknownFields
  public record Pod(
      @Required
          @Size(min = 1)
          @JsonPropertyDescription("Containers of the pod; the first is the one that trains.")
          List<Kept> containers) {}
}
