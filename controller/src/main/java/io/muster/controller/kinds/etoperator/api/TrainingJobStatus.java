package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import io.muster.controller.api.Condition;
import io.muster.controller.api.JobStatus;
import io.muster.controller.api.PodCounts;
import io.muster.controller.api.StoredState;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * How far a training job has come. Written by Muster only. A wire type: absent fields are null;
 * times are RFC 3339. Immutable.
 */
@WireType
public record TrainingJobStatus(
    @JsonPropertyDescription(
            "Created, Running, Scaling, Restarting, Suspended, Succeeded or Failed.")
        String phase,
    @JsonPropertyDescription("What has happened, the latest last.") List<Condition> conditions,
    @JsonPropertyDescription("Counts of pods by role: Launcher, Worker.")
        Map<String, PodCounts> replicaStatuses,
    @JsonPropertyDescription("When the object was taken up.") String startTime,
    @JsonPropertyDescription("When it ended.") String completionTime,
    @JsonPropertyDescription("No longer written.") String lastReconcileTime,
    @JsonPropertyDescription(
            "The scaler being served: ScaleIn or ScaleOut, a colon, namespace/name.")
        String currentScaler,
    @JsonPropertyDescription("Times that the whole job was started anew.") Integer restartCount,
    @JsonPropertyDescription("Names of the worker pods that there should be.")
        List<String> targetWorkers,
    @JsonPropertyDescription("Names of the worker pods that run, by index.")
        List<String> currentWorkers,
    @StatusReplicas
        @JsonPropertyDescription("Number of targetWorkers, for kubectl scale and autoscalers.")
        Integer replicas,
    @LabelSelector @JsonPropertyDescription("Label selector of the worker pods, for autoscalers.")
        String workerSelector,
    @JsonPropertyDescription("What Muster has to remember of the job.") StoredState state,
    @JsonPropertyDescription("Generation of the spec that this status answers.")
        Long observedGeneration)
    implements JobStatus {}
