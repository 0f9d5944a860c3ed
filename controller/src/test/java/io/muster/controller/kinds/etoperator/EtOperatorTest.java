package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By what another controller of these kinds is told from all other Deployments. */
final class EtOperatorTest {

  private static Deployment deployment(Integer wanted, int there, String image, String... words) {
    return new DeploymentBuilder()
        .withNewSpec()
        .withReplicas(wanted)
        .withNewTemplate()
        .withNewSpec()
        .addNewContainer()
        .withName("proxy")
        .withImage("proxy:1")
        .endContainer()
        .addNewContainer()
        .withName("manager")
        .withImage(image)
        .withArgs(words)
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .withNewStatus()
        .withReplicas(there)
        .endStatus()
        .build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "et-operator",
        "et-operator:52ccc8f",
        "mirror.example.com:5000/kube-ai/et-operator:v1",
        "kube-ai/et-operator@sha256:0123"
      })
  void itIsKnownByItsImageWhereverThatLies(String image) {
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment(1, 1, image))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--create-ssh-secret=false", "--init-container-image"})
  void itIsKnownByItsOptionsUnderAnotherName(String option) {
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment(1, 1, "training:7", "--x", option)))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"kube-queue/et-operator-extension:1", "my-et-operator", "et-operator/web:1"})
  void othersAreNot(String image) {
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment(1, 1, image, "--metrics-addr=:8080")))
        .isFalse();
  }

  @Test
  void scaledToNothingItRunsUntilItsLastPodIsGone() {
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment(0, 1, "et-operator"))).isTrue();
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment(0, 0, "et-operator"))).isFalse();
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment(null, 0, "et-operator"))).isTrue();
  }

  /** Else anybody who may create a Deployment could have all jobs of the kind left alone. */
  @Test
  void whereItsNamespacesAreStatedNoOtherIsBelieved() {
    var stated = EtOperatorKind.OPERATOR.in(Set.of("kube-ai"));
    var deployment = deployment(1, 1, "et-operator");
    deployment.setMetadata(new ObjectMetaBuilder().withNamespace("team").build());
    assertThat(EtOperatorKind.OPERATOR.isRunBy(deployment)).isTrue();
    assertThat(stated.isRunBy(deployment)).isFalse();
    deployment.getMetadata().setNamespace("kube-ai");
    assertThat(stated.isRunBy(deployment)).isTrue();
  }
}
