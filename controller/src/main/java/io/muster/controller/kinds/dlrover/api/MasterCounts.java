package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.muster.controller.api.WireType;

/** Pods of one role, counted. A wire type: absent counts are null and mean 0. Immutable. */
@PreserveUnknownFields
@WireType
public record MasterCounts(
    @JsonPropertyDescription("Pods that are to be made.") Integer initial,
    @JsonPropertyDescription("Pods that wait.") Integer pending,
    @JsonPropertyDescription("Pods that run.") Integer active,
    @JsonPropertyDescription("Pods that have succeeded.") Integer succeeded,
    @JsonPropertyDescription("Pods that have failed or were deleted.") Integer failed) {}
