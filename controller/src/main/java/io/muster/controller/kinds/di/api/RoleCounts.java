package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.WireType;

/** Pods of one role, counted. A wire type: absent counts are null and mean 0. Immutable. */
@WireType
public record RoleCounts(
    @JsonPropertyDescription("Pods that run.") Integer active,
    @JsonPropertyDescription("Pods that have succeeded.") Integer succeeded,
    @JsonPropertyDescription("Pods that have failed.") Integer failed) {}
