package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.muster.deploy.install.InstallFiles;
import java.util.List;
import java.util.stream.Stream;

/**
 * One thing that a file of {@code deploy/rbac} lets Muster do. Immutable.
 *
 * @param resource plural, with its subresource if there is one
 * @param namespace empty: in all
 * @param name empty: whatever the object is called
 */
public record GrantedRight(
    String verb, String group, String resource, String namespace, String name) {

  /** Of all files, those for job kinds too. */
  public static List<GrantedRight> ofMuster() {
    return Stream.concat(
            forGangs().stream(),
            InstallFiles.JOBS.keySet().stream().sorted().flatMap(kind -> forJobs(kind).stream()))
        .toList();
  }

  /** Those without which there are no gangs. */
  public static List<GrantedRight> forGangs() {
    return of(InstallFiles.rights());
  }

  /** Those that it needs more for a kind of jobs. */
  public static List<GrantedRight> forJobs(String kind) {
    return of(InstallFiles.rightsForJobs(kind));
  }

  /** What the roles among these objects allow. */
  public static List<GrantedRight> of(List<HasMetadata> objects) {
    return objects.stream()
        .flatMap(object ->
            switch (object) {
              case ClusterRole role -> role.getRules().stream().flatMap(rule -> in(rule, ""));
              case Role role ->
                  role.getRules().stream()
                      .flatMap(rule -> in(rule, role.getMetadata().getNamespace()));
              default -> Stream.<GrantedRight>empty();
            })
        .toList();
  }

  private static Stream<GrantedRight> in(PolicyRule rule, String namespace) {
    var names = rule.getResourceNames().isEmpty() ? List.of("") : rule.getResourceNames();
    return rule.getApiGroups().stream()
        .flatMap(group ->
            rule.getResources().stream()
                .flatMap(resource ->
                    names.stream()
                        .flatMap(name ->
                            rule.getVerbs().stream()
                                .map(verb ->
                                    new GrantedRight(verb, group, resource, namespace, name)))));
  }

  /** Whether it lets Muster do that. */
  public boolean covers(AuditLog.Request request) {
    return verb.equals(request.verb())
        && group.equals(request.group())
        && resource.equals(request.resource())
        && (namespace.isEmpty() || namespace.equals(request.namespace()))
        && (name.isEmpty() || name.equals(request.name()));
  }

  /** {@code get podgroups of scheduling.k8s.io}, or {@code update secrets NAME}. */
  @Override
  public String toString() {
    return verb
        + " "
        + resource
        + (group.isEmpty() ? "" : " of " + group)
        + (name.isEmpty() ? "" : " " + name);
  }
}
