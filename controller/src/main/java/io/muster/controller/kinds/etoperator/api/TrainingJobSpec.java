package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/** What a training job is to be. A wire type: absent fields are null. Immutable. */
@WireType
public record TrainingJobSpec(
    @Required @JsonPropertyDescription("The launcher and the workers.") ReplicaSpecs etReplicaSpecs,
    @JsonPropertyDescription(
            "What is deleted once the job has finished: Running (the default) deletes workers that"
                + " still run, All deletes every worker and the launcher, None deletes nothing.")
        String cleanPodPolicy,
    @JsonPropertyDescription(
            "How the launcher reaches its workers: ssh (the default) or kubexec, which needs no"
                + " sshd and no key.")
        String launcherAttachMode,
    @Min(1)
        @JsonPropertyDescription(
            "Processes per worker, as the host list states them. By default the GPUs of the"
                + " worker's first container, else 1.")
        Integer slotsPerWorker,
    @Default("Never")
        @JsonPropertyDescription(
            "What follows when the launcher fails: Never ends the job, OnFailure starts the whole"
                + " job anew.")
        String restartPolicy,
    @Default("6") @Min(0) @JsonPropertyDescription("Most times that the whole job is started anew.")
        Integer backoffLimit,
    @JsonPropertyDescription(
            "Who changes the number of workers: Manual (the default) leaves it to ScaleIn, ScaleOut"
                + " and kubectl scale, Auto also grows the job into free room and gives room back.")
        String scalePolicy,
    @Min(1)
        @JsonPropertyDescription(
            "Least seconds between two steps of scalePolicy Auto. 60 by default.")
        Integer autoScaleIntervalSeconds,
    @Min(0)
        @JsonPropertyDescription(
            "Seconds after its end when the job is deleted. By default it is kept.")
        Integer ttlSecondsAfterFinished,
    @Min(1)
        @JsonPropertyDescription(
            "Seconds from status.startTime after which a job that still runs fails. By default"
                + " there is no limit.")
        Integer activeDeadlineSeconds) {}
