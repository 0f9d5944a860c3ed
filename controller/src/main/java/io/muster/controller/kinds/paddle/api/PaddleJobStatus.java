package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import io.muster.controller.api.JobStatus;
import io.muster.controller.api.StoredState;
import io.muster.controller.api.WireType;
import java.util.List;

/**
 * How far a training job has come. Written by Muster only. A wire type: absent fields are null;
 * times are RFC 3339. Immutable.
 */
@WireType
public record PaddleJobStatus(
    @JsonPropertyDescription("pending, creating, running, scaling, succeeded or failed.")
        String phase,
    @JsonPropertyDescription("Why it is so, in a sentence.") String reason,
    @JsonProperty("scale_records")
        @JsonPropertyDescription("How the number of trainers has changed lately.")
        ScaleRecords scaleRecords,
    @JsonProperty("replica_statuses")
        @JsonPropertyDescription("The pods by what they are: master, pserver, trainer.")
        List<ReplicaStates> replicaStatuses,
    @JsonPropertyDescription("Trainers that the job is to have now.") Integer parallelism,
    @JsonPropertyDescription("Trainers that run.") Integer running,
    @StatusReplicas
        @JsonPropertyDescription("Trainers that are there, for kubectl scale and autoscalers.")
        Integer replicas,
    @LabelSelector @JsonPropertyDescription("Label selector of the trainers, for autoscalers.")
        String selector,
    @JsonPropertyDescription("When the job was taken up.") String startTime,
    @JsonPropertyDescription("When it ended.") String completionTime,
    @JsonPropertyDescription("What Muster has to remember of it.") StoredState remembered,
    @JsonPropertyDescription("Generation of the spec that this status answers.")
        Long observedGeneration)
    implements JobStatus {

  @Override
  public StoredState state() {
    return remembered;
  }
}
