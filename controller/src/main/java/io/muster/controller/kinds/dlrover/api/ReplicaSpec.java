package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;

/**
 * Members of one role. A wire type: absent fields are null. Immutable but for the template, which
 * nobody may change.
 *
 * @param replicas How many there are to be. 0 by default.
 * @param template The pod to be made. Members of a gang bear its annotations here. The
 *     restartPolicy of the pod is always Never.
 * @param restartPolicy Not followed: the master goes by restartPolicy in the template.
 * @param restartCount How often one member may be recreated: 3 by default and never more than 5;
 *     for dlrover-master 0 by default.
 * @param autoScale Whether the role may be resized by the master.
 * @param restartTimeout Seconds to wait for a member that hangs. Read by the master only.
 * @param priority PriorityClass of the members: high, low, or the part of them that gets high,
 *     above 0 and at most 1.
 * @param batchScheduler Not followed.
 * @param criticalNodes Members whose loss ends the job: all, none, or index:losses with commas.
 *     Read by the master only.
 */
@PreserveUnknownFields
@WireType
public record ReplicaSpec(
    @Min(0) @Max(Job.MOST_MEMBERS) Integer replicas,
    @SchemaFrom(type = TemplateSchema.class)
        @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        PodTemplateSpec template,
    String restartPolicy,
    @Min(0) Integer restartCount,
    Boolean autoScale,
    Integer restartTimeout,
    @Size(max = ReplicaSpec.LONGEST_PRIORITY) String priority,
    @JsonProperty("BatchScheduler") String batchScheduler,
    String criticalNodes) {

  static final int LONGEST_PRIORITY = 16;
}
