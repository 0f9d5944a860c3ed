package io.muster.controller.kinds.dlrover.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import java.util.Map;

/**
 * What an elastic job is to be. Fields that only the master reads are kept as they are written. A
 * wire type: absent fields are null. Immutable.
 *
 * @param distributionStrategy How the members train: AllreduceStrategy, ParameterServerStrategy
 *     (what the master takes if nothing is said) or CustomStrategy.
 * @param optimizeMode Who proposes other sizes, single-job by default. Read by the master only.
 * @param brainService Address of the service that proposes sizes. Read by the master only.
 * @param resourceLimits Most that the job may take, by cpu, memory and gpu. Read by the master
 *     only.
 * @param suspend Whether new workers are kept back. Those that there are stay, unless the
 *     annotation muster.io/suspend-policy of the job is release.
 * @param replicaSpecs Members by role: worker, and where they are used ps, chief, evaluator and
 *     dlrover-master.
 */
@PreserveUnknownFields
@WireType
public record ElasticJobSpec(
    String distributionStrategy,
    String optimizeMode,
    String brainService,
    @SchemaFrom(type = TemplateSchema.Kept.class) Map<String, Object> resourceLimits,
    Boolean suspend,
    @Required @Size(min = 1, max = ElasticJobSpec.MOST_ROLES)
        Map<String, ReplicaSpec> replicaSpecs) {

  /** Bounds what the API server may have to check; there are five roles. */
  static final int MOST_ROLES = 16;
}
