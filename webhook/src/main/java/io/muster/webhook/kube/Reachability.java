package io.muster.webhook.kube;

import java.net.URI;

/** How the apiserver reaches the webhook, always by TLS. Immutable. */
public sealed interface Reachability {

  /** At a fixed place, for an apiserver outside the cluster's network; without a path. */
  record AtUrl(URI base) implements Reachability {}

  /** Through a Service of the cluster. */
  record ThroughService(String namespace, String name, int port) implements Reachability {}
}
