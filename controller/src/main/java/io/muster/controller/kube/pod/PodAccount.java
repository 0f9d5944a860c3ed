package io.muster.controller.kube.pod;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.List;

/**
 * Who pods of a job are to the apiserver, and what they may do there: three objects of one name.
 */
public final class PodAccount {

  private PodAccount() {}

  /** All three; the binding last, for nobody may bind a role that is not there. */
  public static List<HasMetadata> of(ObjectMeta metadata, PolicyRule... rules) {
    return List.of(account(metadata), role(metadata, List.of(rules)), binding(metadata));
  }

  public static ServiceAccount account(ObjectMeta metadata) {
    return new ServiceAccountBuilder().withMetadata(metadata).build();
  }

  public static Role role(ObjectMeta metadata, List<PolicyRule> rules) {
    return new RoleBuilder().withMetadata(metadata).withRules(rules).build();
  }

  public static RoleBinding binding(ObjectMeta metadata) {
    var name = metadata.getName();
    return new RoleBindingBuilder()
        .withMetadata(metadata)
        .withNewRoleRef("rbac.authorization.k8s.io", "Role", name)
        .addNewSubject()
        .withKind("ServiceAccount")
        .withName(name)
        .withNamespace(metadata.getNamespace())
        .endSubject()
        .build();
  }

  /** What may be done with all objects of a resource. */
  public static PolicyRule rule(String group, String resource, String... verbs) {
    return new PolicyRuleBuilder()
        .withApiGroups(group)
        .withResources(resource)
        .withVerbs(verbs)
        .build();
  }
}
