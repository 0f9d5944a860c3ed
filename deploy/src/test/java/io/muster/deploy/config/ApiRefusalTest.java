package io.muster.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.kube.gang.Gang;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false)
final class ApiRefusalTest {

  private static final String GANGS = "/apis/muster.io/v1alpha1/namespaces/train/gangs";

  private KubernetesMockServer server;
  private KubernetesClient client;

  private String said(int code, String answer) {
    server.expect().get().withPath(GANGS).andReturn(code, answer).always();
    return ApiRefusal.sentence(
        catchThrowableOfType(
            KubernetesClientException.class,
            () -> client.resources(Gang.class).inNamespace("train").list()));
  }

  private String forbidden(String message) {
    return said(
        403, Serialization.asJson(new StatusBuilder().withCode(403).withMessage(message).build()));
  }

  @Test
  void thatAKindIsNotServedIsSaidWithWhatToDo() {
    assertThat(said(404, "404 page not found\n"))
        .isEqualTo(
            "the apiserver does not serve a kind that is asked for: Muster's definitions are not"
                + " installed there (muster doctor names those that are missing)");
  }

  @Test
  void whoMayNotIsToldInTheFirstLineOfTheApiServersWords() {
    var words = "pods is forbidden: User \"jane\" cannot list resource \"pods\"";

    assertThat(forbidden(words + "\nand more")).isEqualTo(words);
  }

  /** As where the command that a kubeconfig names for credentials is missing, or fails. */
  @Test
  void whoComesWithoutCredentialsIsNotToldThatNobodyMayDoThis() {
    assertThat(
            forbidden("pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\""))
        .contains("was not told who asks")
        .contains("exec command");
  }
}
