package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Muster's registration is kept as it should be, whoever changes it. */
@ExtendWith(SandboxExtension.class)
final class RegistrationIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String COMPLETE = "muster-members-come-complete";
  private static final String PLACED = "muster-pods-name-no-node";
  private static final String LASTING = "muster-members-stay-as-made";

  @Test
  void aConditionThatLetsEverybodyPassIsTakenOutAgain(Sandbox sandbox, TestSpace space) {
    var webhooks = webhooks(sandbox.client());
    var before = conditions(webhooks);

    webhooks.edit(found -> {
      for (var webhook : found.getWebhooks()) {
        var conditions = new ArrayList<>(webhook.getMatchConditions());
        conditions.add(new MatchCondition("false", "never"));
        webhook.setMatchConditions(conditions);
        webhook.getClientConfig().setCaBundle("");
      }
      return found;
    });

    Await.until(
        "the registration to be as before", SOON, () -> before.equals(conditions(webhooks)));
    // The apiserver believes the webhook again, too.
    Await.until("a member to be asked about", SOON, () -> isAskedAbout(space));
  }

  private static List<List<MatchCondition>> conditions(
      Resource<MutatingWebhookConfiguration> webhooks) {
    return Objects.requireNonNull(webhooks.get()).getWebhooks().stream()
        .map(MutatingWebhook::getMatchConditions)
        .toList();
  }

  private static boolean isAskedAbout(TestSpace space) {
    var pod = GangManifest.of(space, "g", 1).pod("asked-" + System.nanoTime());
    try {
      return WebhookDownIT.once(space, pod)
          .getMetadata()
          .getAnnotations()
          .containsKey("muster.io/injected");
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  @Test
  void whatIsDeletedComesBack(Sandbox sandbox) {
    var client = sandbox.client();
    var binding = client.resources(ValidatingAdmissionPolicyBinding.class).withName(LASTING);
    binding.delete();
    webhooks(client).delete();

    Await.until(
        "both to be back", SOON, () -> binding.get() != null && webhooks(client).get() != null);
  }

  /** By whatever tool the installation is deleted: here nothing but its ClusterRole. */
  @Test
  void whatMusterHasRegisteredGoesWithTheInstallation(Sandbox sandbox, TestSpace space) {
    var client = sandbox.client();
    var role = client.rbac().clusterRoles().withName("muster");
    var leader = sandbox.muster().orElseThrow();
    var follower =
        sandbox.startMuster(
            MusterOptions.DEFAULT
                .named("follower")
                .configured(Map.of("identity", "follower", "diServices", false)));
    Await.until(
        "the objects to have their owner",
        SOON,
        () -> made(client).stream().allMatch(this::isOwned));
    assertThat(made(client)).hasSize(11);

    role.delete();

    Await.until("all of it to go", SOON, () -> made(client).isEmpty());
    Await.until("both processes to end", SOON, () -> !leader.isAlive() && !follower.isAlive());
    assertThat(made(client)).isEmpty();
    // As long as no Muster is there, nobody is asked about a member.
    var pod = GangManifest.of(space, "g", 1).pod("plain");
    assertThat(space.client().pods().inNamespace(space.namespace()).resource(pod).create())
        .matches(
            stored -> !stored.getMetadata().getAnnotations().containsKey("muster.io/injected"));

    sandbox.startMuster(MusterOptions.DEFAULT);
    sandbox.scheduler().start(Optional.of(sandbox.extender()));
    Await.until("a member to be asked about", SOON, () -> isAskedAbout(space));
  }

  private boolean isOwned(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(
            owner -> owner.getKind().equals("ClusterRole") && owner.getName().equals("muster"));
  }

  /** All that Muster makes by itself. */
  private static List<HasMetadata> made(KubernetesClient client) {
    var own = "muster-system";
    return Stream.<HasMetadata>of(
            webhooks(client).get(),
            client.resources(ValidatingAdmissionPolicy.class).withName(COMPLETE).get(),
            client.resources(ValidatingAdmissionPolicy.class).withName(LASTING).get(),
            client.resources(ValidatingAdmissionPolicy.class).withName(PLACED).get(),
            client.resources(ValidatingAdmissionPolicyBinding.class).withName(PLACED).get(),
            client.resources(ValidatingAdmissionPolicyBinding.class).withName(COMPLETE).get(),
            client.resources(ValidatingAdmissionPolicyBinding.class).withName(LASTING).get(),
            client.secrets().inNamespace(own).withName("muster-certificates").get(),
            client.secrets().inNamespace(own).withName("muster-scheduler-client").get(),
            client.leases().inNamespace(own).withName("muster").get(),
            client
                .discovery()
                .v1()
                .endpointSlices()
                .inNamespace(own)
                .withName("muster-extender")
                .get())
        .filter(Objects::nonNull)
        .toList();
  }

  @Test
  void theApiserverFindsNoFaultWithThePolicies(Sandbox sandbox) {
    for (var name : new String[] {COMPLETE, PLACED, LASTING}) {
      var policy = sandbox.client().resources(ValidatingAdmissionPolicy.class).withName(name);
      Await.until(
          "the expressions to be checked",
          SOON,
          () ->
              policy.get() != null
                  && policy.get().getStatus() != null
                  && policy.get().getStatus().getObservedGeneration() != null);

      assertThat(policy.get().getStatus().getTypeChecking().getExpressionWarnings()).isEmpty();
    }
  }

  private static Resource<MutatingWebhookConfiguration> webhooks(KubernetesClient client) {
    return client.resources(MutatingWebhookConfiguration.class).withName("muster");
  }
}
