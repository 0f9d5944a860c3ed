package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a kubelet gives to a pod that says {@code automountServiceAccountToken: true}: a token of
 * its account, and where the API server is. With it goes kubectl, on the PATH, as if the images had
 * it. Immutable.
 */
record PodAccount(Sandbox sandbox, Pod pod) {

  private static final String FILES = "var/run/secrets/kubernetes.io/serviceaccount";
  private static final long LIFE_SECONDS = 3600;

  boolean isWanted() {
    return Boolean.TRUE.equals(pod.getSpec().getAutomountServiceAccountToken());
  }

  void write(Path root) throws IOException {
    var folder = root.resolve(FILES);
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("token"), token());
    Files.writeString(folder.resolve("namespace"), pod.getMetadata().getNamespace());
    Files.copy(sandbox.certificate(), folder.resolve("ca.crt"));
    var programs = root.resolve("opt/bin");
    Files.createDirectories(programs);
    Files.copy(sandbox.programs().path(Program.KUBECTL), programs.resolve("kubectl"));
  }

  /** Lines for the container's environment. */
  String environment() {
    var server = URI.create(sandbox.server());
    return "export PATH=$PATH:/opt/bin KUBERNETES_SERVICE_HOST=%s KUBERNETES_SERVICE_PORT=%d\n"
        .formatted(server.getHost(), server.getPort());
  }

  private String token() {
    return sandbox
        .client()
        .serviceAccounts()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getSpec().getServiceAccountName())
        .tokenRequest(
            new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(LIFE_SECONDS)
                .endSpec()
                .build())
        .getStatus()
        .getToken();
  }
}
