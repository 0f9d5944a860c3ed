package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.StoredState;

/**
 * How far an elastic job has come. Written by Muster only. A wire type: absent fields are null.
 * Immutable.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ElasticJobStatus(
    @JsonPropertyDescription("Created, Pending, Running, Suspended, Succeeded or Failed.")
        String phase,
    @JsonPropertyDescription("What has happened to it.") ElasticJobHistory status,
    @JsonPropertyDescription("Name of the ScalePlan that is being carried out.") String scalePlan,
    @JsonPropertyDescription("What Muster has to remember of it.") StoredState state,
    @JsonPropertyDescription("Generation of the spec that this status answers.")
        Long observedGeneration) {}
