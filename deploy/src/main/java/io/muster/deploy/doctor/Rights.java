package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.install.InstallFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Asks the apiserver about each right that the files in {@code deploy/rbac} state. */
record Rights(KubernetesClient client, String namespace) {

  private static final String CHECK = "rights";
  private static final int NAMED = 5;

  /** Where the rights for all kinds of jobs were before each kind had its own. */
  private static final String EARLIER = "muster-jobs";

  /**
   * One for Muster itself, one for each kind of jobs, and one if it has rights that it no longer
   * needs.
   */
  List<Finding> findings(List<String> kinds) {
    var findings = new ArrayList<Finding>();
    findings.add(finding(CHECK, InstallFiles.rights(), "deploy/rbac/muster.yml"));
    for (var kind : kinds) {
      findings.add(
          finding(
              CHECK + "." + kind,
              InstallFiles.rightsForJobs(kind),
              "deploy/rbac/%s.yml".formatted(kind)));
    }
    if (client.rbac().clusterRoleBindings().withName(EARLIER).get() != null) {
      findings.add(
          Finding.problem(
              CHECK + ".earlier",
              "ClusterRoleBinding %s of an earlier version gives %s rights that it does not need, to read Secrets for one"
                  .formatted(EARLIER, account()),
              "kubectl delete clusterrolebinding,clusterrole " + EARLIER));
    }
    return findings;
  }

  private Finding finding(String check, List<HasMetadata> stated, String file) {
    var asked = stated.stream().flatMap(this::attributes).toList();
    var lacking = asked.parallelStream().filter(right -> !isGranted(right)).toList();
    var account = account();
    return lacking.isEmpty()
        ? Finding.ok(check, "%s has all %d rights of %s".formatted(account, asked.size(), file))
        : Finding.problem(
            check,
            "%s lacks %d of %d rights of %s: %s"
                .formatted(
                    account,
                    lacking.size(),
                    asked.size(),
                    file,
                    String.join(", ", lacking.stream().limit(NAMED).map(Rights::words).toList())),
            apply(file));
  }

  /** As it is, a file would give the rights of the cluster to an account of the usual namespace. */
  private String apply(String file) {
    return namespace.equals(InstallFiles.NAMESPACE)
        ? "kubectl apply -f " + file
        : "sed s/%s/%s/g %s | kubectl apply -f -"
            .formatted(InstallFiles.NAMESPACE, namespace, file);
  }

  private String account() {
    return "system:serviceaccount:%s:muster".formatted(namespace);
  }

  private boolean isGranted(ResourceAttributes right) {
    return client
        .authorization()
        .v1()
        .subjectAccessReview()
        .create(
            new SubjectAccessReviewBuilder()
                .withNewSpec()
                .withUser(account())
                .withGroups(
                    "system:serviceaccounts",
                    "system:serviceaccounts:" + namespace,
                    "system:authenticated")
                .withResourceAttributes(right)
                .endSpec()
                .build())
        .getStatus()
        .getAllowed();
  }

  private Stream<ResourceAttributes> attributes(HasMetadata object) {
    return switch (object) {
      case ClusterRole role -> role.getRules().stream().flatMap(rule -> attributes(rule, ""));
      case Role role -> {
        var place = role.getMetadata().getNamespace();
        var meant = place.equals(InstallFiles.NAMESPACE) ? namespace : place;
        yield role.getRules().stream().flatMap(rule -> attributes(rule, meant));
      }
      default -> Stream.empty();
    };
  }

  private static Stream<ResourceAttributes> attributes(PolicyRule rule, String namespace) {
    var names = rule.getResourceNames().isEmpty() ? List.of("") : rule.getResourceNames();
    var rights = new ArrayList<ResourceAttributes>();
    for (var group : rule.getApiGroups()) {
      for (var resource : rule.getResources()) {
        for (var verb : rule.getVerbs()) {
          for (var name : names) {
            int slash = resource.indexOf('/');
            rights.add(
                new ResourceAttributesBuilder()
                    .withGroup(group)
                    .withResource(slash < 0 ? resource : resource.substring(0, slash))
                    .withSubresource(slash < 0 ? "" : resource.substring(slash + 1))
                    .withVerb(verb)
                    .withName(name)
                    .withNamespace(namespace)
                    .build());
          }
        }
      }
    }
    return rights.stream();
  }

  private static String words(ResourceAttributes right) {
    var resource =
        right.getResource()
            + (right.getSubresource().isEmpty() ? "" : "/" + right.getSubresource())
            + (right.getGroup().isEmpty() ? "" : "." + right.getGroup());
    return right.getVerb()
        + " "
        + resource
        + (right.getName().isEmpty() ? "" : " " + right.getName());
  }
}
