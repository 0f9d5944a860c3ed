package io.muster.deploy.serve.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EnableKubernetesMockClient(https = false, crud = true)
@Timeout(30)
final class OwnedObjectsTest {

  private static final OwnerReference OWNER =
      new OwnerReferenceBuilder()
          .withApiVersion("rbac.authorization.k8s.io/v1")
          .withKind("ClusterRole")
          .withName("muster")
          .withUid("u")
          .build();

  private KubernetesClient client;
  private Instant now = Instant.EPOCH;

  private Resource<?> stored() {
    return client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName("muster-certificates")
                .withNamespace("muster-system")
                .endMetadata()
                .build())
        .inNamespace("muster-system");
  }

  private List<OwnerReference> owners() {
    return client
        .secrets()
        .inNamespace("muster-system")
        .withName("muster-certificates")
        .get()
        .getMetadata()
        .getOwnerReferences();
  }

  @Test
  void aSecretThatIsMadeAnewIsGivenToTheInstallationToo() {
    var owned =
        new OwnedObjects(client, "muster-system", List.of("muster-certificates"), () -> now);
    stored().create();
    owned.adopt(OWNER);
    assertThat(owners()).containsExactly(OWNER);

    stored().delete();
    stored().create();
    now = now.plus(Duration.ofMinutes(1));
    owned.adopt(OWNER);

    assertThat(owners()).containsExactly(OWNER);
  }
}
