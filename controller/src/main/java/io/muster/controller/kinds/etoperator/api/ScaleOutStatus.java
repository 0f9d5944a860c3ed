package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.Condition;
import io.muster.controller.api.PodCounts;
import io.muster.controller.api.WireType;
import java.util.List;
import java.util.Map;

/**
 * How far a scale-out has come. Written by Muster only. A wire type: absent fields are null; times
 * are RFC 3339. Immutable.
 */
@WireType
public record ScaleOutStatus(
    @JsonPropertyDescription("Scaling, ScaleSucceeded or ScaleFailed; empty before.") String phase,
    @JsonPropertyDescription("What has happened, the latest last.") List<Condition> conditions,
    @JsonPropertyDescription("Counts of pods by role: Launcher, Worker.")
        Map<String, PodCounts> replicaStatuses,
    @JsonPropertyDescription("When the object was taken up.") String startTime,
    @JsonPropertyDescription("When it ended.") String completionTime,
    @JsonPropertyDescription("No longer written.") String lastReconcileTime,
    @JsonPropertyDescription("Not used on scalers.") String currentScaler,
    @JsonPropertyDescription("Times that the whole job was started anew.") Integer restartCount,
    @JsonPropertyDescription("The plan, written once: names of the worker pods to add.")
        List<String> addPods)
    implements ScalerStatus {

  @Override
  public List<String> plan() {
    return addPods;
  }
}
