package io.muster.controller.kinds.etoperator.api;

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
 *
 * @param phase Created, Running, Scaling, Restarting, Suspended, Succeeded or Failed.
 * @param conditions What has happened, the latest last.
 * @param replicaStatuses Counts of pods by role: Launcher, Worker.
 * @param startTime When the object was taken up.
 * @param completionTime When it ended.
 * @param lastReconcileTime No longer written.
 * @param currentScaler The scaler being served: ScaleIn or ScaleOut, a colon, namespace/name.
 * @param restartCount Times that the whole job was started anew.
 * @param targetWorkers Names of the worker pods that there should be.
 * @param currentWorkers Names of the worker pods that run, by index.
 * @param replicas Number of targetWorkers that are not lost for good, for kubectl scale and
 *     autoscalers.
 * @param workerSelector Label selector of the worker pods, for autoscalers.
 * @param state What Muster has to remember of the job.
 * @param observedGeneration Generation of the spec that this status answers.
 */
@WireType
public record TrainingJobStatus(
    String phase,
    List<Condition> conditions,
    Map<String, PodCounts> replicaStatuses,
    String startTime,
    String completionTime,
    String lastReconcileTime,
    String currentScaler,
    Integer restartCount,
    List<String> targetWorkers,
    List<String> currentWorkers,
    @StatusReplicas Integer replicas,
    @LabelSelector String workerSelector,
    StoredState state,
    Long observedGeneration)
    implements JobStatus {}
