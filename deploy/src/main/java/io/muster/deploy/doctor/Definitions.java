package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.install.DefinitionInCluster;
import io.muster.deploy.install.InstallFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether the definitions in the cluster are those that this version was built with. */
record Definitions(KubernetesClient client) {

  private static final String CHECK = "definitions";

  List<Finding> findings() {
    var different = new ArrayList<String>();
    var absent = new ArrayList<String>();
    int same = 0;
    for (var wanted : InstallFiles.definitions()) {
      var name = wanted.getMetadata().getName();
      var found = Optional.ofNullable(read(name));
      if (found.isEmpty()) {
        absent.add(name);
      } else if (new DefinitionInCluster(found.get()).says(wanted) && isServed(found.get())) {
        same++;
      } else {
        different.add(name);
      }
    }
    if (absent.contains(InstallFiles.GANGS)) {
      return List.of(
          Finding.problem(
              CHECK,
              "CustomResourceDefinition %s does not exist: Muster cannot start"
                  .formatted(InstallFiles.GANGS),
              "kubectl apply --server-side -f deploy/crds/%s-v1.yml"
                  .formatted(InstallFiles.GANGS)));
    }
    if (!different.isEmpty()) {
      return List.of(
          Finding.problem(
              CHECK,
              "other than this version of Muster has them: " + String.join(", ", different),
              "kubectl apply --server-side --force-conflicts -f deploy/crds"));
    }
    return List.of(
        Finding.ok(
            CHECK,
            "%d are of this version%s"
                .formatted(
                    same,
                    absent.isEmpty() ? "" : "; not installed: " + String.join(", ", absent))));
  }

  /** The kinds whose jobs are installed, in order: Muster needs more rights for each. */
  List<String> kinds() {
    return InstallFiles.JOBS.entrySet().stream()
        .filter(jobs -> read(jobs.getValue()) != null)
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  private CustomResourceDefinition read(String name) {
    return client.apiextensions().v1().customResourceDefinitions().withName(name).get();
  }

  private static boolean isServed(CustomResourceDefinition definition) {
    return definition.getStatus() != null
        && definition.getStatus().getConditions() != null
        && definition.getStatus().getConditions().stream()
            .anyMatch(one -> "Established".equals(one.getType()) && "True".equals(one.getStatus()));
  }
}
