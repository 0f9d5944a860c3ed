package io.muster.deploy.install;

import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.controller.kube.Marks;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** A definition as the cluster has it, and who has brought it. Immutable. */
public record DefinitionInCluster(CustomResourceDefinition there) {

  private static final String RELEASE = "meta.helm.sh/release-name";
  private static final String RELEASE_NAMESPACE = "meta.helm.sh/release-namespace";

  /** The definition of that name; empty if the cluster has none. */
  public static Optional<DefinitionInCluster> find(KubernetesClient client, String name) {
    return Optional.ofNullable(
            client.apiextensions().v1().customResourceDefinitions().withName(name).get())
        .map(DefinitionInCluster::new);
  }

  /** How its objects are read in that version; all of them are in namespaces. */
  public static ResourceDefinitionContext kind(
      CustomResourceDefinition definition, String version) {
    var spec = definition.getSpec();
    return new ResourceDefinitionContext.Builder()
        .withGroup(spec.getGroup())
        .withVersion(version)
        .withKind(spec.getNames().getKind())
        .withPlural(spec.getNames().getPlural())
        .withNamespaced(true)
        .build();
  }

  /** The release that has it, else who has written its spec. */
  public String whose() {
    var annotations = Marks.annotations(there);
    var release = annotations.get(RELEASE);
    if (release != null) {
      return "Helm release %s/%s"
          .formatted(annotations.getOrDefault(RELEASE_NAMESPACE, ""), release);
    }
    var writers =
        Objects.requireNonNullElse(
                there.getMetadata().getManagedFields(), List.<ManagedFieldsEntry>of())
            .stream()
            .filter(entry -> !"status".equals(entry.getSubresource()))
            .map(ManagedFieldsEntry::getManager)
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "));
    return writers.isEmpty() ? "somebody who left no name" : "whoever writes as " + writers;
  }

  /** Whether Helm has it for a release in another namespace than Muster's. */
  public boolean isOfReleaseOutside(String namespace) {
    var annotations = Marks.annotations(there);
    return annotations.containsKey(RELEASE)
        && !namespace.equals(annotations.get(RELEASE_NAMESPACE));
  }

  /** Whether it says what this version of Muster was built with. */
  public boolean says(CustomResourceDefinition wanted) {
    return schemas(there).equals(schemas(wanted));
  }

  private static List<Object> schemas(CustomResourceDefinition definition) {
    return definition.getSpec().getVersions().stream()
        .<Object>map(version -> List.of(version.getName(), version.getServed(), schema(version)))
        .toList();
  }

  private static Object schema(CustomResourceDefinitionVersion version) {
    return Objects.requireNonNullElse(version.getSchema(), "");
  }
}
