package io.muster.controller.kinds.dlrover.api;

import io.muster.controller.api.JobStatus;
import io.muster.controller.api.StoredState;
import io.muster.controller.api.WireType;

/**
 * How far an elastic job has come. Written by Muster only. A wire type: absent fields are null.
 * Immutable.
 *
 * @param phase Created, Pending, Running, Suspended, Succeeded or Failed.
 * @param status What has happened to it.
 * @param scalePlan Name of the ScalePlan that is being carried out.
 * @param state What Muster has to remember of it.
 * @param observedGeneration Generation of the spec that this status answers.
 */
@WireType
public record ElasticJobStatus(
    String phase,
    ElasticJobHistory status,
    String scalePlan,
    StoredState state,
    Long observedGeneration)
    implements JobStatus {}
