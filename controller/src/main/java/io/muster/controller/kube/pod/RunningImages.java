package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What runs in a Deployment, by what it says of it. */
public final class RunningImages {

  private RunningImages() {}

  /** Its containers; none if it is scaled to nothing and nobody is left. */
  public static Stream<Container> in(Deployment deployment) {
    var spec = deployment.getSpec();
    int wanted = Objects.requireNonNullElse(spec.getReplicas(), 1);
    int there =
        deployment.getStatus() == null
            ? 0
            : Objects.requireNonNullElse(deployment.getStatus().getReplicas(), 0);
    return wanted > 0 || there > 0
        ? spec.getTemplate().getSpec().getContainers().stream()
        : Stream.empty();
  }

  /** The image's name, without where it comes from and which version it is. */
  public static String nameOf(Container container) {
    var image = Objects.requireNonNullElse(container.getImage(), "");
    return image.substring(image.lastIndexOf('/') + 1).replaceFirst("[:@].*", "");
  }

  /** Words of its command line, without their values. */
  public static Stream<String> options(Container container) {
    return Stream.concat(
            Objects.requireNonNullElse(container.getCommand(), List.<String>of()).stream(),
            Objects.requireNonNullElse(container.getArgs(), List.<String>of()).stream())
        .map(word -> word.replaceFirst("=.*", ""));
  }
}
