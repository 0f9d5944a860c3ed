package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kube.ClusterObjects;
import io.muster.deploy.config.Config;
import io.muster.deploy.doctor.Finding.Outcome;
import io.muster.webhook.kube.Reachability;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is said of a registration that somebody has changed, or where nobody answers. */
@EnableKubernetesMockClient(https = false, crud = true)
final class RegisteredTest {

  private static final Config SETTINGS = Config.load(Optional.empty(), Map.of());

  private KubernetesClient client;

  private List<Finding> findings(int port, Consumer<MutatingWebhook> change) {
    var objects =
        new Registration(
                new Reachability.AtUrl(URI.create("https://127.0.0.1:" + port)),
                "",
                SETTINGS.coverage(),
                Optional.empty())
            .objects();
    for (var object : objects) {
      if (object instanceof MutatingWebhookConfiguration webhooks) {
        webhooks.getWebhooks().forEach(RegisteredTest::asStored);
        change.accept(webhooks.getWebhooks().getFirst());
      }
      client.resource(object).create();
    }
    return new Registered(client, SETTINGS).findings();
  }

  /** The API server puts a selector of all where none was given. */
  private static void asStored(MutatingWebhook entry) {
    if (entry.getObjectSelector() == null) {
      entry.setObjectSelector(new LabelSelectorBuilder().build());
    }
  }

  private static Finding of(String check, List<Finding> findings) {
    return findings.stream().filter(one -> one.check().equals(check)).findFirst().orElseThrow();
  }

  private void assertNamed(Consumer<MutatingWebhook> change) {
    var finding = of("registration", findings(1, change));
    assertThat(finding.outcome()).isEqualTo(Outcome.PROBLEM);
    assertThat(finding.evidence()).endsWith("have them: gang-pods.muster.io");
  }

  @Test
  void whatStandsAsItShouldIsWell() throws IOException {
    try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var findings = findings(listener.getLocalPort(), _ -> {});
      assertThat(findings).allMatch(one -> one.outcome() == Outcome.OK);
    }
  }

  @Test
  void otherRulesAreNamed() {
    assertNamed(entry -> entry.getRules().getFirst().setOperations(List.of("DELETE")));
  }

  @Test
  void anotherObjectSelectorIsNamed() {
    assertNamed(entry ->
        entry.setObjectSelector(new LabelSelectorBuilder().addToMatchLabels("a", "b").build()));
  }

  @Test
  void anotherTimeoutIsNamed() {
    assertNamed(entry -> entry.setTimeoutSeconds(1));
  }

  /** Whoever may edit policies could take all effect from one without deleting it. */
  @Test
  void aPolicyThatIsOtherIsNamed() {
    var registered = findings(1, _ -> {});
    assertThat(of("policies", registered).outcome()).isEqualTo(Outcome.OK);
    var policy =
        client.resources(ValidatingAdmissionPolicy.class).list().getItems().stream()
            .filter(one -> !one.getSpec().getMatchConditions().isEmpty())
            .findFirst()
            .orElseThrow();
    policy.getSpec().getMatchConditions().getFirst().setExpression("false");
    client.resource(policy).update();

    var finding = of("policies", new Registered(client, SETTINGS).findings());

    assertThat(finding.outcome()).isEqualTo(Outcome.PROBLEM);
    assertThat(finding.evidence())
        .endsWith("have them: ValidatingAdmissionPolicy " + policy.getMetadata().getName());
  }

  @Test
  void aBindingThatOnlyAuditsIsNamed() {
    var unused = findings(1, _ -> {});
    assertThat(unused).isNotEmpty();
    var binding =
        client.resources(ValidatingAdmissionPolicyBinding.class).list().getItems().getFirst();
    binding.getSpec().setValidationActions(List.of("Audit"));
    client.resource(binding).update();

    var finding = of("policies", new Registered(client, SETTINGS).findings());

    assertThat(finding.evidence())
        .endsWith("have them: ValidatingAdmissionPolicyBinding " + binding.getMetadata().getName());
  }

  /** So does the API server store them. */
  @Test
  void defaultsOfPoliciesAreNoDifference() {
    var unused = findings(1, _ -> {});
    assertThat(unused).isNotEmpty();
    var policy = client.resources(ValidatingAdmissionPolicy.class).list().getItems().getFirst();
    var constraints = policy.getSpec().getMatchConstraints();
    constraints.setMatchPolicy("Equivalent");
    constraints.setNamespaceSelector(new LabelSelectorBuilder().build());
    constraints.setObjectSelector(new LabelSelectorBuilder().build());
    client.resource(policy).update();

    assertThat(of("policies", new Registered(client, SETTINGS).findings()).outcome())
        .isEqualTo(Outcome.OK);
  }

  @Test
  void whatGuardsJobsOfAKindIsComparedToo() {
    var policies = new RegisteredPolicies(client);
    ClusterObjects.beside(PaddleKind.class).forEach(object -> client.resource(object).create());
    assertThat(policies.ofJobs(List.of("paddle", "etoperator")))
        .singleElement()
        .isEqualTo(Finding.ok("policies.paddle", "no job is changed into what cannot run"));
    var binding =
        client
            .resources(ValidatingAdmissionPolicyBinding.class)
            .withName("right-trainingjobs.paddlepaddle.org");
    binding.edit(one -> {
      one.getSpec().setValidationActions(List.of("Audit"));
      return one;
    });

    assertThat(policies.ofJobs(List.of("di", "paddle")))
        .extracting(Finding::check, Finding::outcome)
        .containsExactly(
            tuple("policies.di", Outcome.PROBLEM), tuple("policies.paddle", Outcome.PROBLEM));
    assertThat(policies.ofJobs(List.of("paddle")).getFirst().evidence())
        .endsWith(": ValidatingAdmissionPolicyBinding right-trainingjobs.paddlepaddle.org");
  }

  /** Doctor may stand where the API server does not. */
  @Test
  void anAddressAtWhichNobodyAnswersIsTold() {
    var finding = of("webhook", findings(1, _ -> {}));
    assertThat(finding.outcome()).isEqualTo(Outcome.CANNOT_TELL);
    assertThat(finding.evidence())
        .startsWith("the apiserver calls 127.0.0.1:1, where nobody answers from here: ");
    assertThat(finding.remedy()).isNotEmpty();
  }
}
