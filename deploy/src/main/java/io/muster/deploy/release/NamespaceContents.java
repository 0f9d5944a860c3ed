package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.controller.kube.Marks;
import io.muster.deploy.config.ApiRefusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a namespace holds that would go with it and is not of Muster's installation, of whatever
 * kind the API server knows; also kinds that cannot be listed. Changes nothing.
 */
record NamespaceContents(KubernetesClient client, String namespace) {

  private static final int OF_ONE_KIND = 50;

  /** Nobody puts an installation's own into these: whose it is, no name tells. */
  private static final Set<String> ALWAYS_OF_OTHERS = Set.of("Pod", "PersistentVolumeClaim");

  private static final Set<String> PASSING = Set.of("Event", "EndpointSlice", "Endpoints");

  /** What Kubernetes puts into each namespace. */
  private static final Set<String> OF_EACH_NAMESPACE =
      Set.of("ConfigMap kube-root-ca.crt", "ServiceAccount default");

  private static final List<String> OF_INSTALLATIONS =
      List.of(
          "app.kubernetes.io/part-of", "app.kubernetes.io/name", "app.kubernetes.io/managed-by");

  private static final String MUSTER = "muster";

  /** Those of others, each by kind and name; of many of one kind the first ones. */
  List<String> others() {
    var named = new ArrayList<String>();
    for (var version : Stream.concat(Stream.of("v1"), groupVersions()).toList()) {
      try {
        kinds(version)
            .map(kind -> ResourceDefinitionContext.fromApiResource(version, kind))
            .map(this::others)
            .forEach(named::addAll);
      } catch (KubernetesClientException e) {
        named.add("what is of %s (%s)".formatted(version, ApiRefusal.sentence(e)));
      }
    }
    return named;
  }

  private Stream<String> groupVersions() {
    return client.getApiGroups().getGroups().stream()
        .map(APIGroup::getPreferredVersion)
        .map(version -> version.getGroupVersion());
  }

  private Stream<APIResource> kinds(String groupVersion) {
    return Stream.ofNullable(client.getApiResources(groupVersion))
        .map(APIResourceList::getResources)
        .flatMap(List::stream)
        .filter(kind -> Boolean.TRUE.equals(kind.getNamespaced()))
        .filter(kind -> !kind.getName().contains("/") && !PASSING.contains(kind.getKind()))
        .filter(kind -> kind.getVerbs().containsAll(List.of("list", "delete")));
  }

  private List<String> others(ResourceDefinitionContext kind) {
    var named = new ArrayList<String>();
    var some = new ListOptionsBuilder().withLimit((long) OF_ONE_KIND).build();
    var from = "";
    do {
      some.setContinue(from);
      var page = client.genericKubernetesResources(kind).inNamespace(namespace).list(some);
      page.getItems().stream()
          .filter(object -> !isOfTheInstallation(kind.getKind(), object))
          .map(object -> kind.getKind() + " " + object.getMetadata().getName())
          .filter(name -> !OF_EACH_NAMESPACE.contains(name))
          .forEach(named::add);
      from = Optional.ofNullable(page.getMetadata().getContinue()).orElse("");
    } while (!from.isEmpty() && named.isEmpty());
    return named;
  }

  private static boolean isOfTheInstallation(String kind, GenericKubernetesResource object) {
    var name = object.getMetadata().getName();
    var labels = Marks.labels(object);
    return !ALWAYS_OF_OTHERS.contains(kind)
        && (name.equals(MUSTER)
            || name.startsWith(MUSTER + "-")
            || OF_INSTALLATIONS.stream().anyMatch(label -> MUSTER.equals(labels.get(label))));
  }
}
