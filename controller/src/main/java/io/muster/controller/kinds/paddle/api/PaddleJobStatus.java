package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import io.muster.controller.api.JobStatus;
import io.muster.controller.api.StoredState;
import io.muster.controller.api.WireType;
import java.util.List;

/**
 * How far a training job has come. Written by Muster only. A wire type: absent fields are null;
 * times are RFC 3339. Immutable.
 *
 * @param phase pending, creating, running, scaling, succeeded or failed.
 * @param reason Why it is so, in a sentence.
 * @param scaleRecords How the number of trainers has changed lately.
 * @param replicaStatuses The pods by what they are: master, pserver, trainer.
 * @param parallelism Trainers that the job is to have now.
 * @param running Trainers that run.
 * @param replicas Trainers that are there, for kubectl scale and autoscalers.
 * @param selector Label selector of the trainers, for autoscalers.
 * @param startTime When the job was taken up.
 * @param completionTime When it ended.
 * @param state What Muster has to remember of it.
 * @param observedGeneration Generation of the spec that this status answers.
 */
@WireType
public record PaddleJobStatus(
    String phase,
    String reason,
    @JsonProperty("scale_records") ScaleRecords scaleRecords,
    @JsonProperty("replica_statuses") List<ReplicaStates> replicaStatuses,
    Integer parallelism,
    Integer running,
    @StatusReplicas Integer replicas,
    @LabelSelector String selector,
    String startTime,
    String completionTime,
    @JsonProperty("remembered") StoredState state,
    Long observedGeneration)
    implements JobStatus {}
