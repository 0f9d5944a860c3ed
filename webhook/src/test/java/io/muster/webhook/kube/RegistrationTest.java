package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.webhook.kube.Registration.Coverage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            new Coverage("muster-system", SCHEDULERS, PlacementMode.EXTENDER, Enrolment.GANG),
            Optional.empty());
    var yaml =
        registration.objects().stream().map(Serialization::asYaml).collect(Collectors.joining());
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(GOLDEN, yaml);
    }

    assertThat(yaml).isEqualTo(Files.readString(GOLDEN));
  }

  /** A copy that has kept the label, and names no gang, would count for the Service of another. */
  @Test
  void theLabelOfAMemberKeepsNoPodFromMuster() {
    var registration =
        registration(
            new Reachability.AtUrl(URI.create("https://127.0.0.1:9443")), PlacementMode.EXTENDER);

    assertThat(((MutatingWebhookConfiguration) registration.objects().getFirst()).getWebhooks())
        .extracting(MutatingWebhook::getObjectSelector)
        .filteredOn(Objects::nonNull)
        .flatExtracting(LabelSelector::getMatchExpressions)
        .extracting(LabelSelectorRequirement::getKey)
        .containsExactly("muster.io/inject");
  }

  /** They come without the mark there, and nothing else is missing. */
  @Test
  void membersNeedNoMarkWhereNoKubeSchedulerAsks() {
    var reachability = new Reachability.AtUrl(URI.create("https://127.0.0.1:9443"));
    var asked = registration(reachability, PlacementMode.EXTENDER);
    var unasked = registration(reachability, PlacementMode.AFFINITY);

    assertThat(checks(asked)).anyMatch(check -> check.contains("muster.io/gang-member"));
    assertThat(checks(unasked)).noneMatch(check -> check.contains("muster.io/gang-member"));
    assertThat(checks(unasked)).hasSameSizeAs(checks(asked));
  }

  /** Nobody is asked about gangs that the cluster starts where they cannot wait. */
  @Test
  void podsInGroupsOfOthersAreAskedAboutInNativeModeAndNamespacesWithAQueueAlone() {
    var reachability = new Reachability.AtUrl(URI.create("https://127.0.0.1:9443"));
    assertThat(queued(registration(reachability, PlacementMode.EXTENDER))).isEmpty();
    assertThat(queued(registration(reachability, PlacementMode.AFFINITY))).isEmpty();
    var entry = queued(registration(reachability, PlacementMode.NATIVE)).orElseThrow();
    assertThat(entry.getFailurePolicy()).isEqualTo("Fail");
    assertThat(entry.getNamespaceSelector().getMatchExpressions())
        .anySatisfy(selected -> {
          assertThat(selected.getKey()).isEqualTo("muster.io/queue");
          assertThat(selected.getOperator()).isEqualTo("Exists");
        });
    assertThat(entry.getMatchConditions().getFirst().getExpression())
        .contains("!object.spec.schedulingGroup.podGroupName.endsWith('.gang.muster.io')");
  }

  private static Optional<MutatingWebhook> queued(Registration registration) {
    return ((MutatingWebhookConfiguration) registration.objects().getFirst())
        .getWebhooks().stream()
            .filter(entry -> entry.getName().equals("queued-pods.muster.io"))
            .findFirst();
  }

  private static Registration registration(Reachability reachability, PlacementMode placement) {
    return new Registration(
        reachability,
        CA,
        new Coverage("muster-system", SCHEDULERS, placement, Enrolment.GANG),
        Optional.empty());
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
            new Coverage("muster-system", SCHEDULERS, PlacementMode.EXTENDER, Enrolment.GANG),
            Optional.empty());

    assertThat(((MutatingWebhookConfiguration) outside.objects().getFirst()).getWebhooks())
        .allSatisfy(webhook -> {
          assertThat(webhook.getClientConfig().getUrl()).startsWith("https://127.0.0.1:9443/");
          assertThat(webhook.getClientConfig().getService()).isNull();
        });
  }

  /** The label wins over the default, and one that is not known counts as none. */
  @Test
  void namespacesThatDoNotSayAreEnrolledByDefault() {
    assertThat(chosen(Enrolment.GANG, "gang-pods.muster.io")).containsExactly("NotIn", "shadow");
    assertThat(chosen(Enrolment.GANG, "shadow-pods.muster.io")).containsExactly("In", "shadow");
    assertThat(chosen(Enrolment.SHADOW, "gang-pods.muster.io"))
        .containsExactly("In", "gang", "all");
    assertThat(chosen(Enrolment.SHADOW, "gpu-pods.muster.io")).containsExactly("In", "gang");
    assertThat(chosen(Enrolment.SHADOW, "shadow-pods.muster.io"))
        .containsExactly("NotIn", "gang", "all");
    assertThat(chosen(Enrolment.ALL, "all-gpu-pods.muster.io"))
        .containsExactly("NotIn", "gang", "shadow");
  }

  private static List<String> chosen(Enrolment fallback, String webhook) {
    var objects =
        new Registration(
                new Reachability.AtUrl(URI.create("https://127.0.0.1:9443")),
                CA,
                new Coverage("muster-system", SCHEDULERS, PlacementMode.EXTENDER, fallback),
                Optional.empty())
            .objects();
    return ((MutatingWebhookConfiguration) objects.getFirst())
        .getWebhooks().stream()
            .filter(entry -> entry.getName().equals(webhook))
            .flatMap(entry -> entry.getNamespaceSelector().getMatchExpressions().stream())
            .filter(expression -> expression.getKey().equals("muster.io/enrol"))
            .flatMap(expression ->
                Stream.concat(Stream.of(expression.getOperator()), expression.getValues().stream()))
            .toList();
  }

  @Test
  void everyObjectNamesItsOwner() {
    var owner = new OwnerReferenceBuilder().withName("muster").withUid("u").build();
    var registration =
        new Registration(
            new Reachability.AtUrl(URI.create("https://127.0.0.1:9443")),
            CA,
            new Coverage("muster-system", SCHEDULERS, PlacementMode.EXTENDER, Enrolment.GANG),
            Optional.of(owner));

    assertThat(registration.objects())
        .hasSizeGreaterThan(4)
        .allSatisfy(
            object -> assertThat(object.getMetadata().getOwnerReferences()).containsExactly(owner));
  }
}
