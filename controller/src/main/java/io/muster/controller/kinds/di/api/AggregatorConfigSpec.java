package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/** What an aggregator is to be. A wire type: absent fields are null. Immutable. */
@WireType
public record AggregatorConfigSpec(
    @Required @JsonPropertyDescription("The pod to be made.") RoleTemplate aggregator) {}
