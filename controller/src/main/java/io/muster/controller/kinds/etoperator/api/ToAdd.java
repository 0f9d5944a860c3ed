package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.WireType;

/** How many workers a scale-out adds. A wire type: absent fields are null. Immutable. */
@WireType
public record ToAdd(
    @JsonPropertyDescription("Number of workers to add, at least 1.") Integer count) {}
