package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;
import java.util.Map;

/** Pods that are alike. A wire type: absent fields are null. Immutable. */
@WireType
public record ReplicaStates(
    @JsonProperty("training_resource_type")
        @Required
        @JsonPropertyDescription("master, pserver or trainer.")
        String type,
    @JsonPropertyDescription("starting, running, failed or succeeded: all of them together.")
        String state,
    @JsonProperty("resource_states")
        @JsonPropertyDescription("How many of them are in each of these states.")
        Map<String, Integer> states) {}
