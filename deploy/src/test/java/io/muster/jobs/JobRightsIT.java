package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.Await;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may do what with training jobs: Muster under its own account, and users. */
@ExtendWith(SandboxExtension.class)
final class JobRightsIT {

  private static final String KAI = "kai.alibabacloud.com";
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final List<PolicyRule> LAUNCHER =
      List.of(
          rule(List.of("get", "list", "watch"), "pods"),
          rule(List.of("get", "create"), "pods/exec"),
          rule(List.of("get"), "configmaps"));

  @Test
  void musterMayGiveALauncherItsRights(Sandbox sandbox, TestSpace space) {
    try (var muster = asMuster(sandbox)) {
      var role = muster.resource(role(space, "j-launcher", LAUNCHER)).create();
      muster
          .resource(
              new RoleBindingBuilder()
                  .withNewMetadata()
                  .withName("j-launcher")
                  .withNamespace(space.namespace())
                  .endMetadata()
                  .withNewRoleRef("rbac.authorization.k8s.io", "Role", "j-launcher")
                  .addNewSubject(null, "ServiceAccount", "j-launcher", space.namespace())
                  .build())
          .create();

      assertThat(role.getRules()).hasSameSizeAs(LAUNCHER);
      var launcher = "system:serviceaccount:" + space.namespace() + ":j-launcher";
      Await.until(
          "the launcher to run commands in pods",
          SOON,
          () -> may(space, launcher, "", "create", "pods", "exec"));
    }
  }

  @Test
  void musterMayGiveNobodyMoreThanItHolds(Sandbox sandbox, TestSpace space) {
    try (var muster = asMuster(sandbox)) {
      var more = role(space, "j-launcher", List.of(rule(List.of("list"), "secrets")));

      assertThatThrownBy(() -> muster.resource(more).create())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("attempting to grant RBAC permissions not currently held");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "view, get, trainingjobs, '', true",
    "view, list, scaleins, '', true",
    "view, create, scaleouts, '', false",
    "view, patch, trainingjobs, scale, false",
    "edit, create, trainingjobs, '', true",
    "edit, delete, scaleins, '', true",
    "edit, patch, trainingjobs, scale, true",
    "edit, patch, trainingjobs, status, false",
    "admin, create, scaleouts, '', true",
    "admin, patch, scaleins, status, false",
  })
  void theClustersOwnRolesReachTheseKinds(
      String role,
      String verb,
      String resource,
      String subresource,
      boolean allowed,
      TestSpace space) {
    var user = "user-of-" + space.namespace();
    space
        .client()
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName(role)
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build())
        .create();
    Await.until(
        "the role to be in force", SOON, () -> may(space, user, KAI, "get", "trainingjobs", ""));

    assertThat(may(space, user, KAI, verb, resource, subresource)).isEqualTo(allowed);
  }

  private static KubernetesClient asMuster(Sandbox sandbox) {
    var kubeconfig = sandbox.kubeconfig(sandbox.server(), sandbox.accountToken());
    return new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeconfig)).build();
  }

  private static boolean may(
      TestSpace space,
      String user,
      String group,
      String verb,
      String resource,
      String subresource) {
    var answer =
        space
            .client()
            .authorization()
            .v1()
            .subjectAccessReview()
            .create(
                new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(user)
                    .withNewResourceAttributes()
                    .withNamespace(space.namespace())
                    .withGroup(group)
                    .withVerb(verb)
                    .withResource(resource)
                    .withSubresource(subresource)
                    .endResourceAttributes()
                    .endSpec()
                    .build());
    return answer.getStatus().getAllowed();
  }

  private static Role role(TestSpace space, String name, List<PolicyRule> rules) {
    return new RoleBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(space.namespace())
        .endMetadata()
        .withRules(rules)
        .build();
  }

  private static PolicyRule rule(List<String> verbs, String resource) {
    return new PolicyRuleBuilder()
        .withApiGroups("")
        .withResources(resource)
        .withVerbs(verbs)
        .build();
  }
}
