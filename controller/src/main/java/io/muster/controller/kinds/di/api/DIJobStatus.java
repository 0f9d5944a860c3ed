package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
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
 */
@WireType
public record DIJobStatus(
    @JsonPropertyDescription(
            "Pending, Starting, Running, Restarting, Rescheduling, Succeeded or Failed; of a job"
                + " with a coordinator Created, Running, Succeeded or Failed.")
        String phase,
    @JsonPropertyDescription("What has happened, the latest last.") List<Condition> conditions,
    @JsonPropertyDescription("How many pods there are to be.") Integer replicas,
    @JsonPropertyDescription("How many of them are ready.") Integer readyReplicas,
    @JsonPropertyDescription("Counts of pods by task and phase.")
        Map<String, Map<String, Integer>> taskStatus,
    @JsonPropertyDescription(
            "Counts of pods of a job with a coordinator: Coordinator, Collector, Learner,"
                + " Aggregator.")
        Map<String, PodCounts> replicaStatus,
    @JsonPropertyDescription("How often pods that failed were recreated.") Integer restarts,
    @JsonPropertyDescription("How often pods were recreated or resized for other reasons.")
        Integer reschedules,
    @JsonPropertyDescription("No longer written.") List<String> allocation,
    @SchemaFrom(type = TemplateSchema.Kept.class)
        @JsonPropertyDescription("What the job has reported of itself.")
        Map<String, Object> profilings,
    @JsonPropertyDescription("When it ended.") String completionTimestamp,
    @JsonPropertyDescription("No longer written.") Integer generation,
    @JsonPropertyDescription("What Muster has to remember of it.") StoredState state,
    @JsonPropertyDescription("Generation of the spec that this status answers.")
        Long observedGeneration,
    @JsonPropertyDescription(
            "What coordinators have asked for, as the annotation muster.io/worker-requests said it"
                + " when it could last be read.")
        String workerRequests)
    implements JobStatus {}
