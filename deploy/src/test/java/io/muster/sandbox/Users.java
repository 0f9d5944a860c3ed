package io.muster.sandbox;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.List;

/** Users of a sandbox beside its administrator, who impersonates them. Stateless. */
public final class Users {

  private Users() {}

  /** Somebody with Kubernetes' own role for users of one namespace. */
  public static KubernetesClient editor(Sandbox sandbox, TestSpace space) {
    var user = "editor-of-" + space.namespace();
    sandbox.kubectl(
        "-n",
        space.namespace(),
        "create",
        "rolebinding",
        "editor",
        "--clusterrole=edit",
        "--user=" + user);
    return as(sandbox, user, "system:authenticated");
  }

  /** Whoever has that name and is in these groups. */
  public static KubernetesClient as(Sandbox sandbox, String user, String... groups) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(sandbox.client().getConfiguration())
                .withImpersonateUsername(user)
                .withImpersonateGroups(List.of(groups).toArray(String[]::new))
                .build())
        .build();
  }
}
