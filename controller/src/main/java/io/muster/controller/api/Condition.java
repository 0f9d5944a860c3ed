package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/**
 * One thing that has happened to a job or a scaler. A wire type: absent fields are null; times are
 * RFC 3339. Immutable.
 */
@WireType
public record Condition(
    @Required @JsonPropertyDescription("What has happened, in one word.") String type,
    @Required @JsonPropertyDescription("True, False or Unknown.") String status,
    @JsonPropertyDescription("Why, in one word.") String reason,
    @JsonPropertyDescription("Why, as a sentence.") String message,
    @JsonPropertyDescription("When the condition was last written.") String lastUpdateTime,
    @JsonPropertyDescription("When its status last changed.") String lastTransitionTime) {}
