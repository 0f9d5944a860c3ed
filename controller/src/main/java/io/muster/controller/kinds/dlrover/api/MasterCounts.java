package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;

/** Pods of one role, counted. A wire type: absent counts are null and mean 0. Immutable. */
@PreserveUnknownFields
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MasterCounts(
    @JsonPropertyDescription("Pods that are to be made.") Integer initial,
    @JsonPropertyDescription("Pods that wait.") Integer pending,
    @JsonPropertyDescription("Pods that run.") Integer active,
    @JsonPropertyDescription("Pods that have succeeded.") Integer succeeded,
    @JsonPropertyDescription("Pods that have failed or were deleted.") Integer failed) {}
