package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RejectionTest {

  @ParameterizedTest
  @CsvSource({
    "0, UNAVAILABLE",
    "403, REFUSED",
    "404, ABSENT",
    "409, CONFLICT",
    "422, REFUSED",
    "429, UNAVAILABLE",
    "500, UNAVAILABLE"
  })
  void tellsByTheCode(int code, Rejection expected) {
    assertThat(Rejection.of(new KubernetesClientException("no", code, null))).isEqualTo(expected);
  }

  @Test
  void tellsANamespaceThatIsBeingDeletedFromARefusal() {
    var status =
        new StatusBuilder()
            .withCode(403)
            .withMessage("unable to create new content in namespace n")
            .withNewDetails()
            .addNewCause(
                "metadata.namespace", "namespace n is being terminated", "NamespaceTerminating")
            .endDetails()
            .build();
    var rejected = new KubernetesClientException("POST failed", 403, status);

    assertThat(Rejection.of(rejected)).isEqualTo(Rejection.NAMESPACE_ENDS);
    assertThat(Rejection.sentence(rejected))
        .isEqualTo("unable to create new content in namespace n");
  }
}
