package io.muster.controller.kinds.di;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kinds.di.api.AggregatorConfig;
import io.muster.controller.kinds.di.api.AggregatorConfigSpec;
import io.muster.controller.kinds.di.api.RoleTemplate;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads what the aggregators of all jobs are; only asked when one is made. */
public final class Aggregators implements Supplier<Optional<RoleTemplate>> {

  private static final String NAMESPACE = "di-system";
  private static final String NAME = "aggregator-config";

  private final KubernetesClient client;

  public Aggregators(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public Optional<RoleTemplate> get() {
    return Optional.ofNullable(
            client.resources(AggregatorConfig.class).inNamespace(NAMESPACE).withName(NAME).get())
        .map(AggregatorConfig::getSpec)
        .map(AggregatorConfigSpec::aggregator);
  }
}
