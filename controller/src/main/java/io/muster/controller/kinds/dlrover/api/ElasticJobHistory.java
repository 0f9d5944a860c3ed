package io.muster.controller.kinds.dlrover.api;

import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.Condition;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * What has happened to an elastic job. A wire type: absent fields are null; times are RFC 3339.
 * Immutable.
 *
 * @param conditions What has happened, the latest last.
 * @param replicaStatuses Counts of pods by role.
 * @param startTime When the object was taken up.
 * @param completionTime When it ended.
 * @param lastReconcileTime No longer written.
 */
@WireType
public record ElasticJobHistory(
    @Required List<Condition> conditions,
    @Required Map<String, MasterCounts> replicaStatuses,
    String startTime,
    String completionTime,
    String lastReconcileTime) {}
