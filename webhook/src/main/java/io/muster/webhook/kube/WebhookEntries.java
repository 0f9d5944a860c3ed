package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.Entry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Which pods the apiserver asks Muster about while they are made: no pod meets two entries.
 * Immutable.
 *
 * @param always what holds of all pods but those of the cluster's own gang scheduling
 * @param queued what holds of those; empty if none of them wait in queues
 */
record WebhookEntries(
    Reachability reachability,
    String caPem,
    NamespaceChoice namespaces,
    List<String> always,
    Optional<List<String>> queued) {

  private static final int TIMEOUT_SECONDS = 5;

  MutatingWebhookConfiguration configuration() {
    var all = new ArrayList<>(entries());
    queued.ifPresent(conditions ->
        all.add(
            webhook(
                Entry.QUEUED_PODS,
                "Fail",
                NamespaceChoice.queueing(namespaces.enrolledAs(Enrolment.GANG, Enrolment.ALL)),
                conditions,
                List.of())));
    return new MutatingWebhookConfigurationBuilder()
        .withMetadata(Registration.metadata(Registration.NAME))
        .withWebhooks(all)
        .build();
  }

  private List<MutatingWebhook> entries() {
    return List.of(
        webhook(
            Entry.GANG_PODS,
            "Fail",
            namespaces.enrolledAs(Enrolment.GANG, Enrolment.ALL),
            List.of(MatchExpressions.GANG)),
        new MutatingWebhookBuilder(
                webhook(
                    Entry.GPU_PODS,
                    "Ignore",
                    NamespaceChoice.inferring(false, namespaces.enrolledAs(Enrolment.GANG)),
                    List.of(MatchExpressions.NO_GANG, MatchExpressions.ACCELERATOR)))
            .withObjectSelector(notOptedOut())
            .build(),
        webhook(
            Entry.ALL_GPU_PODS,
            "Fail",
            NamespaceChoice.inferring(false, namespaces.enrolledAs(Enrolment.ALL)),
            List.of(MatchExpressions.NO_GANG, MatchExpressions.ACCELERATOR)),
        webhook(
            Entry.OWNED_PODS,
            "Fail",
            NamespaceChoice.inferring(true, namespaces.enrolledAs(Enrolment.GANG, Enrolment.ALL)),
            List.of(MatchExpressions.NO_GANG, MatchExpressions.OWNED_OR_ACCELERATOR)),
        webhook(
            Entry.SHADOW_PODS,
            "Ignore",
            namespaces.enrolledAs(Enrolment.SHADOW),
            List.of(MatchExpressions.GANG_OR_ACCELERATOR)));
  }

  /**
   * Right for what is a convenience; where something depends on it nobody is let off so. The label
   * of a member lets nobody off either: a copy that has kept it, and names no gang, has to lose it.
   */
  private static LabelSelector notOptedOut() {
    return new LabelSelectorBuilder()
        .addNewMatchExpression()
        .withKey(GangKeys.INJECT)
        .withOperator("NotIn")
        .withValues("false")
        .endMatchExpression()
        .build();
  }

  private MutatingWebhook webhook(
      Entry entry, String failurePolicy, LabelSelector chosen, List<String> conditions) {
    return webhook(entry, failurePolicy, chosen, conditions, always);
  }

  private MutatingWebhook webhook(
      Entry entry,
      String failurePolicy,
      LabelSelector chosen,
      List<String> conditions,
      List<String> others) {
    var all = new ArrayList<>(conditions);
    all.addAll(others);
    return new MutatingWebhookBuilder()
        .withName(entry.webhook())
        .withAdmissionReviewVersions("v1")
        .withSideEffects("None")
        .withFailurePolicy(failurePolicy)
        .withReinvocationPolicy("IfNeeded")
        .withMatchPolicy("Equivalent")
        .withTimeoutSeconds(TIMEOUT_SECONDS)
        .withNamespaceSelector(chosen)
        .withRules(
            new RuleWithOperationsBuilder()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("pods")
                .withScope("Namespaced")
                .build())
        .withMatchConditions(MatchExpressions.all("is-asked-about", all))
        .withClientConfig(clientConfig(entry.path()))
        .build();
  }

  private WebhookClientConfig clientConfig(String path) {
    var config =
        new WebhookClientConfigBuilder()
            .withCaBundle(
                Base64.getEncoder().encodeToString(caPem.getBytes(StandardCharsets.US_ASCII)));
    return switch (reachability) {
      case Reachability.AtUrl(var base) -> config.withUrl(base.resolve(path).toString()).build();
      case Reachability.ThroughService(var namespace, var name, var port) ->
          config
              .withNewService()
              .withNamespace(namespace)
              .withName(name)
              .withPort(port)
              .withPath(path)
              .endService()
              .build();
    };
  }
}
