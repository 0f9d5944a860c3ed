package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Pods of one role, counted. A wire type: absent counts are null and mean 0. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RolePodCounts(
    @JsonPropertyDescription("Pods that run.") Integer active,
    @JsonPropertyDescription("Pods that have succeeded.") Integer succeeded,
    @JsonPropertyDescription("Pods that have failed.") Integer failed) {}
