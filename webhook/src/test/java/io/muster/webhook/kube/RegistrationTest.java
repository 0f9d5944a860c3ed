package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class RegistrationTest {

  private static final String CA = "-----BEGIN CERTIFICATE-----\n";
  private static final Path GOLDEN = Path.of("src/test/resources/golden/registration.yaml");
  private static final Set<String> SCHEDULERS = Set.of("default-scheduler");

  @Test
  void registersWhatTheGoldenFileShows() throws IOException {
    var registration =
        new Registration(
            new Reachability.ThroughService("muster-system", "muster-webhook", 443),
            CA,
            "muster-system",
            SCHEDULERS);
    var yaml =
        registration.objects().stream().map(Serialization::asYaml).collect(Collectors.joining());
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(GOLDEN, yaml);
    }

    assertThat(yaml).isEqualTo(Files.readString(GOLDEN));
  }

  /** They come without the mark there, and nothing else is missing. */
  @Test
  void membersNeedNoMarkWhereNoKubeSchedulerAsks() {
    var reachability = new Reachability.AtUrl(URI.create("https://127.0.0.1:9443"));
    var asked = new Registration(reachability, CA, "muster-system", SCHEDULERS);
    var unasked = new Registration(reachability, CA, "muster-system", SCHEDULERS, false);

    assertThat(checks(asked)).anyMatch(check -> check.contains("muster.io/gang-member"));
    assertThat(checks(unasked)).noneMatch(check -> check.contains("muster.io/gang-member"));
    assertThat(checks(unasked)).hasSameSizeAs(checks(asked));
  }

  private static List<String> checks(Registration registration) {
    return registration.objects().stream()
        .filter(ValidatingAdmissionPolicy.class::isInstance)
        .flatMap(
            policy -> ((ValidatingAdmissionPolicy) policy).getSpec().getMatchConditions().stream())
        .map(MatchCondition::getExpression)
        .toList();
  }

  @Test
  void aUrlReachesAProcessBesideTheApiserver() {
    var outside =
        new Registration(
            new Reachability.AtUrl(URI.create("https://127.0.0.1:9443")),
            CA,
            "muster-system",
            SCHEDULERS);

    assertThat(((MutatingWebhookConfiguration) outside.objects().getFirst()).getWebhooks())
        .allSatisfy(webhook -> {
          assertThat(webhook.getClientConfig().getUrl()).startsWith("https://127.0.0.1:9443/");
          assertThat(webhook.getClientConfig().getService()).isNull();
        });
  }
}
