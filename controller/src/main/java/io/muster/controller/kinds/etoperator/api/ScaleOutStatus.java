package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.muster.controller.api.Condition;
import io.muster.controller.api.PodCounts;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * How far a scale-out has come. Written by Muster only. A wire type: absent fields are null; times
 * are RFC 3339. Immutable.
 *
 * @param phase Scaling, ScaleSucceeded or ScaleFailed; empty before.
 * @param conditions What has happened, the latest last.
 * @param replicaStatuses Counts of pods by role: Launcher, Worker.
 * @param startTime When the object was taken up.
 * @param completionTime When it ended.
 * @param lastReconcileTime No longer written.
 * @param currentScaler Not used on scalers.
 * @param restartCount Times that the whole job was started anew.
 * @param plan The plan, written once: names of the worker pods to add.
 */
@WireType
public record ScaleOutStatus(
    String phase,
    List<Condition> conditions,
    Map<String, PodCounts> replicaStatuses,
    String startTime,
    String completionTime,
    String lastReconcileTime,
    String currentScaler,
    Integer restartCount,
    @JsonProperty("addPods") List<String> plan)
    implements ScalerStatus {}
