package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Names the job that a scaler is for. A wire type: absent fields are null. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Selector(
    @JsonPropertyDescription("Name of the TrainingJob, in the scaler's own namespace.")
        String name) {}
