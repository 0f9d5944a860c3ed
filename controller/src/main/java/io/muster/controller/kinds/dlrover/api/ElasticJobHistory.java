package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.Condition;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * What has happened to an elastic job. A wire type: absent fields are null; times are RFC 3339.
 * Immutable.
 */
@WireType
public record ElasticJobHistory(
    @Required @JsonPropertyDescription("What has happened, the latest last.")
        List<Condition> conditions,
    @Required @JsonPropertyDescription("Counts of pods by role.")
        Map<String, MasterCounts> replicaStatuses,
    @JsonPropertyDescription("When the object was taken up.") String startTime,
    @JsonPropertyDescription("When it ended.") String completionTime,
    @JsonPropertyDescription("No longer written.") String lastReconcileTime) {}
