package io.muster.controller.kai.api;

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
record TemplateSchema(
    @JsonPropertyDescription("Labels and annotations of the pod.") Kept metadata,
    @Required @JsonPropertyDescription("The pod, as in any pod template.") Pod spec) {

  @PreserveUnknownFields
  record Kept() {}

  @PreserveUnknownFields
  record Pod(
      @Required
          @Size(min = 1)
          @JsonPropertyDescription("Containers of the pod; the first is the one that trains.")
          List<Kept> containers) {}
}
