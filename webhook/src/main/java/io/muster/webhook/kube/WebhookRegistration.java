package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.webhook.core.PodAdmission;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Tells the apiserver which pods to ask Muster about: gang pods, which are refused while Muster
 * does not answer, and GPU pods without gang, which pass then. Any other pod never meets Muster,
 * nor does any in the system namespaces, in Muster's own, and where {@code
 * muster.io/injection=disabled} is set. Immutable.
 */
public final class WebhookRegistration {

  /** Name of the object. */
  public static final String NAME = "muster";

  /** On a namespace, with the value {@code disabled}: Muster is not asked about its pods. */
  public static final String INJECTION_LABEL = "muster.io/injection";

  private static final String FIELD_MANAGER = "muster-webhook";
  private static final int TIMEOUT_SECONDS = 5;
  private static final List<String> SYSTEM_NAMESPACES =
      List.of("kube-system", "kube-public", "kube-node-lease");

  private final Reachability reachability;
  private final String caPem;
  private final String ownNamespace;

  /**
   * @param caPem certificates, as PEM, that the webhook's serving certificate is checked against
   * @param ownNamespace where Muster runs; a webhook that is down must not keep itself down
   */
  public WebhookRegistration(Reachability reachability, String caPem, String ownNamespace) {
    this.reachability = reachability;
    this.caPem = caPem;
    this.ownNamespace = ownNamespace;
  }

  /** The object as it should stand in the cluster. */
  public MutatingWebhookConfiguration configuration() {
    return new MutatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(NAME)
        .addToLabels("app.kubernetes.io/name", "muster")
        .addToLabels("app.kubernetes.io/component", "webhook")
        .endMetadata()
        .withWebhooks(
            webhook(
                "gang-pods.muster.io",
                "Fail",
                List.of(condition("has-gang-key", MatchExpressions.HAS_GANG_KEY))),
            webhook(
                "gpu-pods.muster.io",
                "Ignore",
                List.of(
                    condition("has-no-gang-key", MatchExpressions.HAS_NO_GANG_KEY),
                    condition("asks-for-accelerator", MatchExpressions.ASKS_FOR_ACCELERATOR))))
        .build();
  }

  /** Makes the object stand in the cluster as it should, by server-side apply. */
  public void apply(KubernetesClient client) {
    client.resource(configuration()).fieldManager(FIELD_MANAGER).forceConflicts().serverSideApply();
  }

  /** Takes the object away, so that pods are created without Muster. */
  public static void remove(KubernetesClient client) {
    client.admissionRegistration().v1().mutatingWebhookConfigurations().withName(NAME).delete();
  }

  private MutatingWebhook webhook(
      String name, String failurePolicy, List<MatchCondition> conditions) {
    var all = new ArrayList<MatchCondition>();
    all.add(condition("not-mirror", MatchExpressions.NOT_MIRROR));
    all.add(condition("no-node-yet", MatchExpressions.NO_NODE_YET));
    all.addAll(conditions);
    return new MutatingWebhookBuilder()
        .withName(name)
        .withAdmissionReviewVersions("v1")
        .withSideEffects("None")
        .withFailurePolicy(failurePolicy)
        .withReinvocationPolicy("IfNeeded")
        .withMatchPolicy("Equivalent")
        .withTimeoutSeconds(TIMEOUT_SECONDS)
        .withNamespaceSelector(namespaces())
        .withRules(
            new RuleWithOperationsBuilder()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("pods")
                .withScope("Namespaced")
                .build())
        .withMatchConditions(all)
        .withClientConfig(clientConfig())
        .build();
  }

  private LabelSelector namespaces() {
    var excluded = new ArrayList<>(SYSTEM_NAMESPACES);
    excluded.add(ownNamespace);
    return new LabelSelectorBuilder()
        .addNewMatchExpression()
        .withKey(INJECTION_LABEL)
        .withOperator("NotIn")
        .withValues("disabled")
        .endMatchExpression()
        .addNewMatchExpression()
        .withKey("kubernetes.io/metadata.name")
        .withOperator("NotIn")
        .withValues(excluded)
        .endMatchExpression()
        .build();
  }

  private WebhookClientConfig clientConfig() {
    var config =
        new WebhookClientConfigBuilder()
            .withCaBundle(
                Base64.getEncoder().encodeToString(caPem.getBytes(StandardCharsets.US_ASCII)));
    return switch (reachability) {
      case Reachability.AtUrl(var base) ->
          config.withUrl(base.resolve(PodAdmission.PATH).toString()).build();
      case Reachability.ThroughService(var namespace, var name, var port) ->
          config
              .withNewService()
              .withNamespace(namespace)
              .withName(name)
              .withPort(port)
              .withPath(PodAdmission.PATH)
              .endService()
              .build();
    };
  }

  private static MatchCondition condition(String name, String expression) {
    return new MatchCondition(expression, name);
  }
}
