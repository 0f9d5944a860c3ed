package io.muster.controller.kinds.etoperator.api;

import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/**
 * What a training job is to be. A wire type: absent fields are null. Immutable.
 *
 * @param etReplicaSpecs The launcher and the workers.
 * @param cleanPodPolicy What is deleted once the job has finished: Running (the default) deletes
 *     workers that still run, All deletes every worker and the launcher, None deletes nothing.
 * @param launcherAttachMode How the launcher reaches its workers: ssh (the default) or kubexec,
 *     which needs no sshd and no key.
 * @param slotsPerWorker Processes per worker, as the host list states them. By default the GPUs of
 *     the worker's first container, else 1.
 * @param restartPolicy What follows when the launcher fails: Never ends the job, OnFailure starts
 *     the whole job anew.
 * @param backoffLimit Most times that the whole job is started anew.
 * @param scalePolicy Who changes the number of workers: Manual (the default) leaves it to ScaleIn,
 *     ScaleOut and kubectl scale, Auto also grows the job into free room and gives room back.
 * @param autoScaleIntervalSeconds Least seconds between two steps of scalePolicy Auto. 60 by
 *     default.
 * @param ttlSecondsAfterFinished Seconds after its end when the job is deleted. By default it is
 *     kept.
 * @param activeDeadlineSeconds Seconds from status.startTime after which a job that still runs
 *     fails. By default there is no limit.
 */
@WireType
public record TrainingJobSpec(
    @Required ReplicaSpecs etReplicaSpecs,
    String cleanPodPolicy,
    String launcherAttachMode,
    @Min(1) Integer slotsPerWorker,
    @Default("Never") String restartPolicy,
    @Default("6") @Min(0) Integer backoffLimit,
    String scalePolicy,
    @Min(1) Integer autoScaleIntervalSeconds,
    @Min(0) Integer ttlSecondsAfterFinished,
    @Min(1) Integer activeDeadlineSeconds) {}
