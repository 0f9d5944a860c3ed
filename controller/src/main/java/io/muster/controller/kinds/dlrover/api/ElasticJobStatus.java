package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.JobStatus;
import io.muster.controller.api.StoredState;
import io.muster.controller.api.WireType;

/**
 * How far an elastic job has come. Written by Muster only. A wire type: absent fields are null.
 * Immutable.
 */
@WireType
public record ElasticJobStatus(
    @JsonPropertyDescription("Created, Pending, Running, Suspended, Succeeded or Failed.")
        String phase,
    @JsonPropertyDescription("What has happened to it.") ElasticJobHistory status,
    @JsonPropertyDescription("Name of the ScalePlan that is being carried out.") String scalePlan,
    @JsonPropertyDescription("What Muster has to remember of it.") StoredState state,
    @JsonPropertyDescription("Generation of the spec that this status answers.")
        Long observedGeneration)
    implements JobStatus {}
