package io.muster.controller.kinds.di.api;

import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.muster.controller.api.Condition;
import io.muster.controller.api.JobStatus;
import io.muster.controller.api.PodCounts;
import io.muster.controller.api.StoredState;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * How far a DIJob has come. Jobs with a coordinator have replicaStatus, the others taskStatus. A
 * wire type: absent fields are null; times are RFC 3339. Immutable.
 *
 * @param phase Pending, Starting, Running, Restarting, Rescheduling, Succeeded or Failed; of a job
 *     with a coordinator Created, Running, Succeeded or Failed.
 * @param conditions What has happened, the latest last.
 * @param replicas How many pods there are to be.
 * @param readyReplicas How many of them are ready.
 * @param taskStatus Counts of pods by task and phase.
 * @param replicaStatus Counts of pods of a job with a coordinator: Coordinator, Collector, Learner,
 *     Aggregator.
 * @param restarts How often pods that failed were recreated.
 * @param reschedules How often pods were recreated or resized for other reasons.
 * @param allocation No longer written.
 * @param profilings What the job has reported of itself.
 * @param completionTimestamp When it ended.
 * @param generation No longer written.
 * @param state What Muster has to remember of it.
 * @param observedGeneration Generation of the spec that this status answers.
 * @param workerRequests What coordinators have asked for, as the annotation
 *     muster.io/worker-requests said it when it could last be read.
 */
@WireType
public record DIJobStatus(
    String phase,
    List<Condition> conditions,
    Integer replicas,
    Integer readyReplicas,
    Map<String, Map<String, Integer>> taskStatus,
    Map<String, PodCounts> replicaStatus,
    Integer restarts,
    Integer reschedules,
    List<String> allocation,
    @SchemaFrom(type = TemplateSchema.Kept.class) Map<String, Object> profilings,
    String completionTimestamp,
    Integer generation,
    StoredState state,
    Long observedGeneration,
    String workerRequests)
    implements JobStatus {}
