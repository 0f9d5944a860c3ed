package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.WireType;

/** Names the job that a scaler is for. A wire type: absent fields are null. Immutable. */
@WireType
public record Selector(
    @JsonPropertyDescription("Name of the TrainingJob, in the scaler's own namespace.")
        String name) {}
