package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;
import java.util.Map;

/**
 * Pods that are alike. A wire type: absent fields are null. Immutable.
 *
 * @param type master, pserver or trainer.
 * @param state starting, running, failed or succeeded: all of them together.
 * @param states How many of them are in each of these states.
 */
@WireType
public record ReplicaStates(
    @JsonProperty("training_resource_type") @Required String type,
    String state,
    @JsonProperty("resource_states") Map<String, Integer> states) {}
