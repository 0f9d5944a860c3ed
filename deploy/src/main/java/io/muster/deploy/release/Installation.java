package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.serve.RegisteredTrust;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether the Muster of a cluster is in the namespace that its user names. There is one in a
 * cluster: what it has there beside its namespace would be taken from under another one. Changes
 * nothing. Confined to one thread.
 */
record Installation(KubernetesClient client, String namespace) {

  private static final String MUSTER = "muster";

  /** What the cluster tells. */
  sealed interface Found {

    /** Muster is in this namespace, or was before it was taken away halfway. */
    record Here() implements Found {}

    /**
     * Muster is in another one.
     *
     * @param trace what says so
     */
    record Elsewhere(String namespace, String trace) implements Found {}

    /** There is no trace of one. */
    record Nowhere() implements Found {}
  }

  /** What a Muster that runs has written last counts more than what came with an installation. */
  Found found() {
    return registered()
        .or(this::leased)
        .or(this::entitled)
        .orElseGet(() ->
            client.serviceAccounts().inNamespace(namespace).withName(MUSTER).get() == null
                ? new Found.Nowhere()
                : new Found.Here());
  }

  /** By the registration alone; empty if there is none, or it names no namespace. */
  Optional<Found> registered() {
    var services =
        RegisteredTrust.stored(client).stream()
            .flatMap(there -> there.getWebhooks().stream())
            .map(webhook -> Optional.ofNullable(webhook.getClientConfig()))
            .flatMap(way -> way.map(WebhookClientConfig::getService).stream())
            .map(ServiceReference::getNamespace)
            .toList();
    return among(services, "its registration");
  }

  private Optional<Found> leased() {
    var leases = client.leases();
    if (leases.inNamespace(namespace).withName(MUSTER).get() != null) {
      return Optional.of(new Found.Here());
    }
    var named = new ListOptionsBuilder().withFieldSelector("metadata.name=" + MUSTER).build();
    var places =
        leases.inAnyNamespace().list(named).getItems().stream()
            .map(lease -> lease.getMetadata())
            .filter(metadata -> metadata.getName().equals(MUSTER))
            .map(metadata -> metadata.getNamespace())
            .toList();
    return among(places, "its Lease");
  }

  private Optional<Found> entitled() {
    var binding = client.rbac().clusterRoleBindings().withName(MUSTER).get();
    var accounts =
        Stream.ofNullable(binding)
            .map(ClusterRoleBinding::getSubjects)
            .flatMap(List::stream)
            .filter(subject -> subject.getName().equals(MUSTER) && subject.getNamespace() != null)
            .map(subject -> subject.getNamespace())
            .toList();
    return among(accounts, "the ClusterRoleBinding " + MUSTER);
  }

  private Optional<Found> among(List<String> namespaces, String trace) {
    return namespaces.contains(namespace)
        ? Optional.of(new Found.Here())
        : namespaces.stream().findFirst().map(other -> new Found.Elsewhere(other, trace));
  }
}
