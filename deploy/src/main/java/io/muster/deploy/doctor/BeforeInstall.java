package io.muster.deploy.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.install.DefinitionInCluster;
import io.muster.deploy.install.InstallFiles;
import io.muster.deploy.install.SchemaFit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What an installation would take over: each definition that is there already, whose it is, and
 * whether the objects that are stored fit the schema of this version. Changes nothing.
 */
record BeforeInstall(KubernetesClient client) {

  private static final String CHECK = "before-install";
  private static final long PAGE = 500;
  private static final int NAMED = 5;

  List<Finding> findings() {
    var findings =
        InstallFiles.definitions().stream()
            .flatMap(wanted ->
                DefinitionInCluster.find(client, wanted.getMetadata().getName())
                    .map(found -> finding(found, wanted))
                    .stream())
            .toList();
    return findings.isEmpty()
        ? List.of(
            Finding.ok(CHECK, "none of the definitions is there: nothing has to be taken over"))
        : findings;
  }

  private Finding finding(DefinitionInCluster found, CustomResourceDefinition wanted) {
    var there = found.there();
    var name = there.getMetadata().getName();
    var check = CHECK + "." + name;
    var seen = "there already, of %s".formatted(found.whose());
    var obstacle = obstacle(there, wanted);
    if (obstacle.isPresent()) {
      return Finding.problem(
          check,
          "%s; %s".formatted(seen, obstacle.get()),
          "install without this kind, or move its objects first");
    }
    var unkept = new Named();
    var misfits = new Named();
    var stored = storage(there).getName();
    var schema = schema(wanted, stored);
    long objects =
        visit(
            there,
            stored,
            object -> {
              var fit = SchemaFit.of(json(object), schema);
              fit.unkept().forEach(path -> unkept.add(object, path));
              fit.misfits().forEach(path -> misfits.add(object, path));
            });
    if (unkept.count > 0) {
      return Finding.problem(
          check,
          "%s, with %d objects; fields that this version does not keep: %s"
              .formatted(seen, objects, unkept.words()),
          "they are lost with the next write to the object: see whether anybody needs them");
    }
    if (misfits.count > 0) {
      return Finding.problem(
          check,
          "%s, with %d objects; values that this version refuses: %s"
              .formatted(seen, objects, misfits.words()),
          "they stay as they are while nobody changes them; mend them with the next change");
    }
    return Finding.ok(
        check,
        "%s, with %d objects, which fit; helm install --take-ownership takes it over"
            .formatted(seen, objects));
  }

  /** Why the API server would refuse this version's definition in place of the other. */
  private static Optional<String> obstacle(
      CustomResourceDefinition there, CustomResourceDefinition wanted) {
    if (!there.getSpec().getScope().equals(wanted.getSpec().getScope())) {
      return Optional.of("its objects are " + there.getSpec().getScope());
    }
    var versions =
        wanted.getSpec().getVersions().stream()
            .map(CustomResourceDefinitionVersion::getName)
            .toList();
    var stored =
        there.getStatus() == null || there.getStatus().getStoredVersions() == null
            ? List.<String>of()
            : there.getStatus().getStoredVersions();
    return stored.stream()
        .filter(version -> !versions.contains(version))
        .findFirst()
        .map(version ->
            "it has stored objects of version %s, and this version of Muster knows %s"
                .formatted(version, String.join(", ", versions)));
  }

  private static CustomResourceDefinitionVersion storage(CustomResourceDefinition there) {
    return there.getSpec().getVersions().stream()
        .filter(version -> Boolean.TRUE.equals(version.getStorage()))
        .findFirst()
        .orElseGet(() -> there.getSpec().getVersions().getFirst());
  }

  private static JSONSchemaProps schema(CustomResourceDefinition wanted, String version) {
    return wanted.getSpec().getVersions().stream()
        .filter(each -> each.getName().equals(version))
        .findFirst()
        .orElseGet(() -> wanted.getSpec().getVersions().getFirst())
        .getSchema()
        .getOpenAPIV3Schema();
  }

  /** Page by page, however many there are; returns their number. */
  private long visit(
      CustomResourceDefinition there, String version, Consumer<GenericKubernetesResource> visitor) {
    var kind = client.genericKubernetesResources(DefinitionInCluster.kind(there, version));
    long visited = 0;
    var next = Optional.of("");
    while (next.isPresent()) {
      var options = new ListOptionsBuilder().withLimit(PAGE);
      next.filter(token -> !token.isEmpty()).ifPresent(options::withContinue);
      var page = kind.inAnyNamespace().list(options.build());
      page.getItems().forEach(visitor);
      visited += page.getItems().size();
      next =
          Optional.ofNullable(page.getMetadata().getContinue()).filter(token -> !token.isEmpty());
    }
    return visited;
  }

  private JsonNode json(GenericKubernetesResource object) {
    return client.getKubernetesSerialization().convertValue(object, JsonNode.class);
  }

  /** The first few of what was found, and how many there are. Confined to one thread. */
  private static final class Named {

    private final List<String> first = new ArrayList<>();
    private long count;

    void add(GenericKubernetesResource object, String path) {
      count++;
      if (first.size() < NAMED) {
        var metadata = object.getMetadata();
        first.add("%s/%s %s".formatted(metadata.getNamespace(), metadata.getName(), path));
      }
    }

    String words() {
      var words = String.join(", ", first);
      return count > NAMED ? "%s and %d more".formatted(words, count - NAMED) : words;
    }
  }
}
