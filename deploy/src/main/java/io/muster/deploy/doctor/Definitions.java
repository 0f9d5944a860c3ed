package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.install.DefinitionInCluster;
import io.muster.deploy.install.InstallFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether the definitions in the cluster are those that this version was built with. Those of kinds
 * that Muster does not run may be of others.
 *
 * @param jobKinds that Muster runs
 */
record Definitions(KubernetesClient client, Set<String> jobKinds) {

  private static final String CHECK = "definitions";

  List<Finding> findings() {
    var different = new ArrayList<String>();
    var absent = new ArrayList<String>();
    var unused = new ArrayList<String>();
    int same = 0;
    for (var wanted : InstallFiles.definitions()) {
      var name = wanted.getMetadata().getName();
      var found = DefinitionInCluster.find(client, name);
      if (found.isEmpty()) {
        absent.add(name);
      } else if (found.get().says(wanted) && isServed(found.get().there())) {
        same++;
      } else if (isUsed(name)) {
        different.add(name);
      } else {
        unused.add(name);
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
              "kubectl apply --server-side --force-conflicts"
                  + different.stream()
                      .map(" -f deploy/crds/%s-v1.yml"::formatted)
                      .collect(Collectors.joining())));
    }
    return List.of(
        Finding.ok(
            CHECK,
            "%d are of this version%s%s"
                .formatted(
                    same,
                    named("; not installed: ", absent),
                    named("; other than Muster's, of job kinds that are off: ", unused))));
  }

  private static String named(String words, List<String> names) {
    return names.isEmpty() ? "" : words + String.join(", ", names);
  }

  /** Whether Muster works with objects of that definition. */
  private boolean isUsed(String definition) {
    return definition.equals(InstallFiles.GANGS)
        || InstallFiles.JOBS.entrySet().stream()
            .filter(jobs -> jobKinds.contains(jobs.getKey()))
            .anyMatch(jobs -> group(jobs.getValue()).equals(group(definition)));
  }

  private static String group(String definition) {
    return definition.substring(definition.indexOf('.') + 1);
  }

  /** The kinds whose jobs are installed, in order: Muster needs more rights for each. */
  List<String> kinds() {
    return InstallFiles.JOBS.entrySet().stream()
        .filter(jobs -> DefinitionInCluster.find(client, jobs.getValue()).isPresent())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  private static boolean isServed(CustomResourceDefinition definition) {
    return definition.getStatus() != null
        && definition.getStatus().getConditions() != null
        && definition.getStatus().getConditions().stream()
            .anyMatch(one -> "Established".equals(one.getType()) && "True".equals(one.getStatus()));
  }
}
