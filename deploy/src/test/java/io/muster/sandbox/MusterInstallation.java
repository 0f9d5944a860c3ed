package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * What must be in a cluster before Muster starts: its namespace, CRDs, service account and rights,
 * from the files shipped in {@code deploy}. Repeatable; safe for concurrent use.
 */
final class MusterInstallation {

  static final String NAMESPACE = "muster-system";
  private static final String ACCOUNT = "muster";
  private static final String CLIENT_SECRET = "muster-scheduler-client";
  private static final Duration TOKEN_LIFE = Duration.ofHours(24);
  private static final Duration ESTABLISHED_LIMIT = Duration.ofSeconds(30);
  private static final Duration SECRET_LIMIT = Duration.ofSeconds(30);

  private final Layout layout;
  private final KubernetesClient client;

  MusterInstallation(Layout layout, KubernetesClient client) {
    this.layout = layout;
    this.client = client;
  }

  /** Server-side apply of everything, as an administrator would. */
  void apply() {
    serverSideApply(
        List.of(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build(),
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .build()));
    serverSideApply(manifests("rbac"));
    var definitions = manifests("crds");
    serverSideApply(definitions);
    definitions.forEach(this::awaitEstablished);
  }

  /** A new token of Muster's own service account. */
  String token() {
    var answer =
        client
            .serviceAccounts()
            .inNamespace(NAMESPACE)
            .withName(ACCOUNT)
            .tokenRequest(
                new TokenRequestBuilder()
                    .withNewSpec()
                    .withExpirationSeconds(TOKEN_LIFE.toSeconds())
                    .endSpec()
                    .build());
    return answer.getStatus().getToken();
  }

  /** Writes the identity that Muster made for kube-scheduler into files. */
  ExtenderEndpoint schedulerIdentity(String urlPrefix, Path folder) {
    Await.until(
        "Muster to store the Secret " + NAMESPACE + "/" + CLIENT_SECRET,
        SECRET_LIMIT,
        () -> clientSecret() != null);
    var data = clientSecret().getData();
    try {
      Files.createDirectories(folder);
      for (String key : List.of("ca.crt", "tls.crt", "tls.key")) {
        Files.write(folder.resolve(key), Base64.getDecoder().decode(data.get(key)));
      }
    } catch (IOException e) {
      throw new SandboxException("The scheduler's certificate cannot be written.", e);
    }
    return new ExtenderEndpoint(
        urlPrefix, folder.resolve("ca.crt"), folder.resolve("tls.crt"), folder.resolve("tls.key"));
  }

  private Secret clientSecret() {
    return client.secrets().inNamespace(NAMESPACE).withName(CLIENT_SECRET).get();
  }

  /** Everything in a folder of {@code deploy}. */
  private List<HasMetadata> manifests(String folder) {
    try (var files = Files.list(layout.deploy().resolve(folder))) {
      return files
          .filter(file -> file.toString().matches(".*\\.ya?ml"))
          .sorted()
          .flatMap(file -> read(file).stream())
          .toList();
    } catch (IOException e) {
      throw new SandboxException("deploy/" + folder + " cannot be read.", e);
    }
  }

  private List<HasMetadata> read(Path file) {
    try (InputStream text = Files.newInputStream(file)) {
      return client.load(text).items();
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be read.", e);
    }
  }

  private void serverSideApply(List<? extends HasMetadata> objects) {
    for (HasMetadata object : objects) {
      try {
        client.resource(object).fieldManager("sandbox").forceConflicts().serverSideApply();
      } catch (KubernetesClientException e) {
        throw new SandboxException(
            object.getKind()
                + " "
                + object.getMetadata().getName()
                + " cannot be applied: "
                + e.getMessage(),
            e);
      }
    }
  }

  private void awaitEstablished(HasMetadata definition) {
    var name = definition.getMetadata().getName();
    Await.until(
        "the definition " + name + " to be established",
        ESTABLISHED_LIMIT,
        () -> {
          var found = client.apiextensions().v1().customResourceDefinitions().withName(name).get();
          return found != null
              && found.getStatus() != null
              // Just after its creation the status is there, but says nothing yet.
              && found.getStatus().getConditions() != null
              && found.getStatus().getConditions().stream()
                  .anyMatch(condition ->
                      condition.getType().equals("Established")
                          && condition.getStatus().equals("True"));
        });
  }
}
