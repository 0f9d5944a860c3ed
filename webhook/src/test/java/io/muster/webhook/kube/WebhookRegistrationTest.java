package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javalin.Javalin;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class WebhookRegistrationTest {

  private static final String CA = "-----BEGIN CERTIFICATE-----\n";
  private static final Path GOLDEN =
      Path.of("src/test/resources/golden/mutating-webhook-configuration.yaml");

  private final WebhookRegistration registration =
      new WebhookRegistration(
          new Reachability.ThroughService("muster-system", "muster-webhook", 443),
          CA,
          "muster-system");

  @Test
  void registersWhatTheGoldenFileShows() throws IOException {
    var yaml = Serialization.asYaml(registration.configuration());
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(GOLDEN, yaml);
    }

    assertThat(yaml).isEqualTo(Files.readString(GOLDEN));
  }

  @Test
  void aUrlReachesAProcessBesideTheApiserver() {
    var outside =
        new WebhookRegistration(
            new Reachability.AtUrl(URI.create("https://127.0.0.1:9443")), CA, "muster-system");

    assertThat(outside.configuration().getWebhooks())
        .allSatisfy(webhook -> {
          assertThat(webhook.getClientConfig().getUrl())
              .isEqualTo("https://127.0.0.1:9443/mutate/pods");
          assertThat(webhook.getClientConfig().getService()).isNull();
        });
  }

  @Test
  void isAppliedOnTheServersSideAndRemovedByName() {
    List<String> calls = new CopyOnWriteArrayList<>();
    var configuration = Serialization.asJson(registration.configuration());
    var apiserver =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.jetty.host = "127.0.0.1";
                  config.jetty.port = 0;
                  config.routes.before(context -> {
                    calls.add(
                        "%s %s %s"
                            .formatted(context.method(), context.path(), context.contentType()));
                    context.contentType("application/json").result(configuration);
                  });
                  config.routes.patch("/*", context -> {});
                  config.routes.delete("/*", context -> {});
                })
            .start();
    var config =
        new ConfigBuilder()
            .withMasterUrl("http://127.0.0.1:" + apiserver.port())
            .withNamespace("default")
            .build();
    try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
      registration.apply(client);
      WebhookRegistration.remove(client);
    } finally {
      apiserver.stop();
    }

    var path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/muster";
    assertThat(calls)
        .containsExactly(
            "PATCH " + path + " application/apply-patch+yaml",
            "DELETE " + path + " application/json");
  }
}
