package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.PlacementMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What tells the apiserver which pods to ask Muster about, and what to check by itself. Gang pods
 * are refused while Muster does not answer; GPU pods without gang pass then, except where their
 * namespace wants otherwise; any other pod never meets Muster. Immutable.
 *
 * @param caPem certificates, as PEM, that the webhook's serving certificate is checked against
 * @param owner whose deletion takes the objects along, so that no pod is refused by a Muster that
 *     is gone; empty: they stay until they are removed
 */
public record Registration(
    Reachability reachability, String caPem, Coverage coverage, Optional<OwnerReference> owner) {

  /** Name of the webhook configuration. */
  public static final String NAME = "muster";

  /** On a namespace, with the value {@code disabled}: Muster is not asked about its pods. */
  public static final String INJECTION_LABEL = "muster.io/injection";

  /** In one order, so that the objects are written alike every time. */
  private static final SortedMap<String, String> LABELS =
      Collections.unmodifiableSortedMap(
          new TreeMap<>(
              Map.of(
                  "app.kubernetes.io/name", "muster", "app.kubernetes.io/component", "webhook")));

  /**
   * Whose pods the apiserver asks about. Immutable.
   *
   * @param ownNamespace where Muster runs; a webhook that is down must not keep itself down
   * @param schedulers whose pods those are, by the name that pods give
   * @param placement whether kube-schedulers ask Muster, so that members have to come marked, and
   *     whether gangs of the cluster's own gang scheduling may wait in queues
   * @param fallback how namespaces are enrolled that do not say
   */
  public record Coverage(
      String ownNamespace, Set<String> schedulers, PlacementMode placement, Enrolment fallback) {
    public Coverage {
      schedulers = Set.copyOf(schedulers);
    }
  }

  /** The objects as they should stand in the cluster; the apiserver asks nobody about these. */
  public List<HasMetadata> objects() {
    var namespaces = new NamespaceChoice(coverage.ownNamespace(), coverage.fallback());
    var always = MatchExpressions.always(coverage.schedulers());
    var objects = new ArrayList<HasMetadata>();
    var queued =
        Optional.of(coverage.placement())
            .filter(PlacementMode.NATIVE::equals)
            .map(_ -> MatchExpressions.ofQueued(coverage.schedulers()));
    objects.add(
        new WebhookEntries(reachability, caPem, namespaces, always, queued).configuration());
    objects.addAll(
        new AdmissionPolicies(namespaces, always, coverage.placement().isAsked()).objects());
    owner.ifPresent(
        by -> objects.forEach(object -> object.getMetadata().setOwnerReferences(List.of(by))));
    return objects;
  }

  /** Makes all of them stand in the cluster as they should. */
  public void apply(KubernetesClient client) {
    objects().forEach(object -> put(client, object));
  }

  /** Replaced rather than applied: what somebody adds to a list must go too. */
  static HasMetadata put(KubernetesClient client, HasMetadata object) {
    var found = Optional.ofNullable(client.resource(object).get());
    if (found.isEmpty()) {
      return client.resource(object).create();
    }
    var metadata = new ObjectMetaBuilder(found.get().getMetadata()).addToLabels(LABELS);
    var owners = object.getMetadata().getOwnerReferences();
    object.setMetadata(
        (owners.isEmpty() ? metadata : metadata.withOwnerReferences(owners)).build());
    if (object instanceof MutatingWebhookConfiguration wanted
        && found.get() instanceof MutatingWebhookConfiguration there) {
      RegisteredAuthorities.keep(wanted, there);
    }
    return client.resource(object).update();
  }

  /** What an object says but for the authorities, which change with the certificates. */
  static Object meaning(HasMetadata object) {
    return switch (object) {
      case MutatingWebhookConfiguration configuration -> {
        var copy =
            new MutatingWebhookConfigurationBuilder(configuration)
                .withMetadata(new ObjectMeta())
                .build();
        copy.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(""));
        yield copy;
      }
      case ValidatingAdmissionPolicy policy -> policy.getSpec();
      case ValidatingAdmissionPolicyBinding binding -> binding.getSpec();
      default -> object;
    };
  }

  /** Takes the objects away, so that pods are made without Muster; also where none is there. */
  public static void remove(KubernetesClient client) {
    client.resources(MutatingWebhookConfiguration.class).withName(NAME).delete();
    for (var policy : AdmissionPolicies.NAMES) {
      client.resources(ValidatingAdmissionPolicyBinding.class).withName(policy).delete();
      client.resources(ValidatingAdmissionPolicy.class).withName(policy).delete();
    }
  }

  static ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withLabels(LABELS).build();
  }
}
