package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/** What an aggregator is to be. A wire type: absent fields are null. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AggregatorConfigSpec(
    @Required @JsonPropertyDescription("The pod to be made.") RoleTemplate aggregator) {}
