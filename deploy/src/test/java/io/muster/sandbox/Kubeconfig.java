package io.muster.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/**
 * Where an API server is, how to trust it, and who is calling. Immutable.
 *
 * @param server URL; may name a proxy that stands before the API server
 * @param ca PEM file
 * @param token bearer token
 */
record Kubeconfig(String server, Path ca, String token) {

  String yaml() {
    try {
      return """
      apiVersion: v1
      kind: Config
      clusters:
      - name: sandbox
        cluster:
          server: %s
          certificate-authority-data: %s
      users:
      - name: sandbox
        user:
          token: %s
      contexts:
      - name: sandbox
        context:
          cluster: sandbox
          user: sandbox
      current-context: sandbox
      """
          .formatted(server, Base64.getEncoder().encodeToString(Files.readAllBytes(ca)), token);
    } catch (IOException e) {
      throw new SandboxException("The API server's certificate " + ca + " cannot be read.", e);
    }
  }

  void writeTo(Path file) {
    try {
      Files.writeString(file, yaml());
    } catch (IOException e) {
      throw new SandboxException("The kubeconfig " + file + " cannot be written.", e);
    }
  }
}
