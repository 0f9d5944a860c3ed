package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.x509.CertificateIssueException;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

final class MainTest {

  @Test
  void whatTheApiServerDidIsToldBesideWhatItKeptFromBeingDone() {
    var said = new ArrayList<String>();
    var cause = new KubernetesClientException("Operation: [get]", 401, null);

    int code =
        Main.failed(
            new CertificateIssueException("Kubernetes refused to read Secret a/b", cause),
            said::add);

    assertThat(code).isEqualTo(2);
    assertThat(said)
        .containsExactly(
            "muster: Kubernetes refused to read Secret a/b: the apiserver does not know who asks:"
                + " the kubeconfig's credentials are wrong or have expired");
  }
}
