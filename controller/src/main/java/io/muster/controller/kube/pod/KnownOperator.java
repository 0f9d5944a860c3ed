package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Another controller of a kind, and how it is recognised among the cluster's Deployments.
 * Immutable.
 *
 * @param images their names, without where they come from and which version they are
 * @param options of its command line, without their values
 * @param lease by which it is elected; empty if it has none
 * @param namespaces in which it may be; empty: all
 */
public record KnownOperator(
    Set<String> images, Set<String> options, Optional<String> lease, Set<String> namespaces) {

  public KnownOperator {
    images = Set.copyOf(images);
    options = Set.copyOf(options);
    namespaces = Set.copyOf(namespaces);
  }

  /** In any namespace. */
  public KnownOperator(Set<String> images, Set<String> options, Optional<String> lease) {
    this(images, options, lease, Set.of());
  }

  /** The same, where users of other namespaces are not believed. */
  public KnownOperator in(Set<String> some) {
    return new KnownOperator(images, options, lease, some);
  }

  /** Whether it may be where that object is. */
  public boolean mayBeAt(HasMetadata object) {
    return namespaces.isEmpty() || namespaces.contains(object.getMetadata().getNamespace());
  }

  /** Whether the Deployment runs it; one that is scaled to nothing does until nobody is left. */
  public boolean isRunBy(Deployment deployment) {
    var spec = deployment.getSpec();
    int wanted = Objects.requireNonNullElse(spec.getReplicas(), 1);
    int there =
        deployment.getStatus() == null
            ? 0
            : Objects.requireNonNullElse(deployment.getStatus().getReplicas(), 0);
    return (wanted > 0 || there > 0)
        && mayBeAt(deployment)
        && spec.getTemplate().getSpec().getContainers().stream().anyMatch(this::isIn);
  }

  private boolean isIn(Container container) {
    var image = Objects.requireNonNullElse(container.getImage(), "");
    var name = image.substring(image.lastIndexOf('/') + 1).replaceFirst("[:@].*", "");
    return images.contains(name)
        || Stream.of(container.getCommand(), container.getArgs())
            .filter(Objects::nonNull)
            .flatMap(List::stream)
            .anyMatch(word -> options.contains(word.replaceFirst("=.*", "")));
  }
}
