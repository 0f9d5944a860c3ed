package io.muster.controller.kinds.di.api;

import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/**
 * What an aggregator is to be. A wire type: absent fields are null. Immutable.
 *
 * @param aggregator The pod to be made.
 */
@WireType
public record AggregatorConfigSpec(@Required RoleTemplate aggregator) {}
