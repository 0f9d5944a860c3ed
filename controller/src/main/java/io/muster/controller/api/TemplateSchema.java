package io.muster.controller.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/**
 * What the API server is told of a pod template: that there are containers. All else is kept as it
 * was written, so that fields of later Kubernetes versions reach the pods.
 *
 * @param metadata Labels and annotations of the pod.
 * @param spec The pod, as in any pod template.
 */
@PreserveUnknownFields
public record TemplateSchema(Kept metadata, @Required Pod spec) {

  @PreserveUnknownFields
  public record Kept() {}

  /**
   * The pod of a template.
   *
   * @param containers Containers of the pod; the first is the one that trains.
   */
  @PreserveUnknownFields
  public record Pod(@Required @Size(min = 1) List<Kept> containers) {}
}
