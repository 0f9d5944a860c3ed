package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Size;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.util.List;
import java.util.Map;

/** What a scale plan asks for. A wire type: absent fields are null. Immutable. */
@PreserveUnknownFields
@WireType
public record ScalePlanSpec(
    @JsonPropertyDescription("Name of the ElasticJob.") String ownerJob,
    @Size(max = ElasticJobSpec.MOST_ROLES)
        @JsonPropertyDescription("How many members each role is to have.")
        Map<String, ReplicaResource> replicaResourceSpecs,
    @Size(max = Job.MOST_MEMBERS)
        @JsonPropertyDescription("Pods to be made, by the master that writes plans itself.")
        List<PodMeta> createPods,
    @Size(max = Job.MOST_MEMBERS) @JsonPropertyDescription("Pods to be taken away.")
        List<PodMeta> removePods,
    @Size(max = Job.MOST_MEMBERS)
        @JsonPropertyDescription("Pods to be recreated with other resources.")
        List<PodMeta> migratePods,
    @JsonPropertyDescription("Addresses of the parameter servers.") List<String> psHosts) {}
