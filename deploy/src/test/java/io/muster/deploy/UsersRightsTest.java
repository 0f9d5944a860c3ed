package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.muster.deploy.install.InstallFiles;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What whoever may edit a namespace may do with Muster's own objects there. */
final class UsersRightsTest {

  private static List<PolicyRule> rules() {
    return InstallFiles.rightsOfUsers().stream()
        .map(ClusterRole.class::cast)
        .flatMap(role -> role.getRules().stream())
        .toList();
  }

  /** The record in a Gang object is what a cut burst is completed by. */
  @Test
  void usersSeeGangsAndWriteNone() {
    var ofMuster =
        rules().stream().filter(rule -> rule.getApiGroups().contains("muster.io")).toList();

    assertThat(ofMuster).isNotEmpty();
    assertThat(ofMuster)
        .allSatisfy(rule -> {
          assertThat(rule.getVerbs()).isSubsetOf("get", "list", "watch");
          assertThat(rule.getResources()).containsExactly("gangs");
        });
  }

  @Test
  void nothingIsGivenOfGroupsThatAreNotOfMustersKinds() {
    assertThat(rules())
        .allSatisfy(rule ->
            assertThat(rule.getApiGroups()).doesNotContain("", "*", "rbac.authorization.k8s.io"));
    assertThat(rules()).allSatisfy(rule -> assertThat(rule.getVerbs()).doesNotContain("*"));
  }
}
