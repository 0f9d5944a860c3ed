package io.muster.controller.kinds.dlrover.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Size;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.util.List;
import java.util.Map;

/**
 * What a scale plan asks for. A wire type: absent fields are null. Immutable.
 *
 * @param ownerJob Name of the ElasticJob.
 * @param replicaResourceSpecs How many members each role is to have.
 * @param createPods Pods to be made, by the master that writes plans itself.
 * @param removePods Pods to be taken away.
 * @param migratePods Pods to be recreated with other resources.
 * @param psHosts Addresses of the parameter servers.
 */
@PreserveUnknownFields
@WireType
public record ScalePlanSpec(
    String ownerJob,
    @Size(max = ElasticJobSpec.MOST_ROLES) Map<String, ReplicaResource> replicaResourceSpecs,
    @Size(max = Job.MOST_MEMBERS) List<PodMeta> createPods,
    @Size(max = Job.MOST_MEMBERS) List<PodMeta> removePods,
    @Size(max = Job.MOST_MEMBERS) List<PodMeta> migratePods,
    List<String> psHosts) {}
